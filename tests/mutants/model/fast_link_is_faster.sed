# What a fast link takes is at the other end a cycle early.
# file: network/cycle.c
# profile: extoll
s/network->latency + FAST_LINK_CYCLES - 1,/network->latency + FAST_LINK_CYCLES - 2,/
