# What a fast link takes is at the other end a cycle early.
# file: network/cycle.c
# profile: extoll
s/network->latency + LANE_CYCLES - 1;/network->latency + LANE_CYCLES - 2;/
