# A card says a cycle too early that it is idle.
# file: card/card_state.h
# profile: mini
s/QUIET_CYCLES = 16/QUIET_CYCLES = 15/
