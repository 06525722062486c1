# The grant pointer stays at the partner.
# file: card/scheduler.h
# profile: extoll
s/grant_above\[output\] = (uint16_t)above(input)/grant_above[output] = (uint16_t)(~0u << input)/
