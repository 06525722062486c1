# Parts are stepped for a cycle more than what comes from the others allows.
# file: event/shards.h
# profile: extoll
s/PARTS_AHEAD = 1 + LANE_CYCLES/PARTS_AHEAD = 2 + LANE_CYCLES/
