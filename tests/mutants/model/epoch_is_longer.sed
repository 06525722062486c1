# Shards are stepped for a cycle more than what comes from the others allows.
# file: event/shards.h
# profile: extoll
s/SHARDS_AHEAD = 1 + FAST_LINK_CYCLES/SHARDS_AHEAD = 2 + FAST_LINK_CYCLES/
