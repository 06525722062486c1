# Frames arrive a cycle early.
# file: network/cycle.c
# profile: mini
s/common.now + 1 + network->latency;/common.now + network->latency;/
