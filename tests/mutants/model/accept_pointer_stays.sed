# The accept pointer stays at the partner instead of moving past it.
# file: card/scheduler.h
# profile: mini
s/accept_below\[i\] = (uint16_t)bits_below(o)/accept_below[i] = (uint16_t)((2u << o) - 1)/
