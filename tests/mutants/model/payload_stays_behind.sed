# The cells of a packet that has kept its head are not made when the run goes on cell by cell.
# file: run/model_run.c
# profile: extoll
s/if (client->remake) {/if (0) {/
