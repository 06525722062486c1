# The accept pointer stays at the partner instead of moving past it.
# file: card/scheduler.h
# profile: mini
s/accept_above\[i\] = (uint16_t)above(o)/accept_above[i] = (uint16_t)(~0u << o)/
