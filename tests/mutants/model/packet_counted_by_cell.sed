# Each cell that is sent counts as a packet.
# file: card/crossbar.h
# profile: mini
s/if (first) {/if (first | 1) {/
