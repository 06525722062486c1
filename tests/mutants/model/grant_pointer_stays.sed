# The grant pointer stays at the partner.
# file: card/scheduler.h
# profile: extoll
s/grant_above\[o\] = (uint16_t)above(i)/grant_above[o] = (uint16_t)(~0u << i)/
