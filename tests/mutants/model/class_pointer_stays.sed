# The round robin of the traffic classes serves one for ever.
# file: card/input_requests.h
# profile: extoll
s/class_above\[link\] = (uint8_t)above(tc)/class_above[link] = (uint8_t)(~0u << tc)/
