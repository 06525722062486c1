# The accept pointer stays at the partner instead of moving past it.
# file: card/scheduler.h
# profile: mini
s/accept_below\[input\] = (uint16_t)bits_below(output)/accept_below[input] = (uint16_t)((2u << output) - 1)/
