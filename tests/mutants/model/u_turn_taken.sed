# A packet leaves by the link that it came in by.
# file: card/input_receive.h
# profile: ring
s/return U_TURNS || port >= LINKS || to != port;/return 1;/
