# A card whose last cell is not acknowledged yet is taken for idle.
# file: card/fast_link.h
# profile: extoll
s/ACK_CYCLES = SEEN_CYCLES + 7/ACK_CYCLES = SEEN_CYCLES + 6/
