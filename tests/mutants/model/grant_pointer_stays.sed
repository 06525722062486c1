# The grant pointer stays at the partner.
# file: card/scheduler.h
# profile: extoll
s/grants_move ? above(i)/grants_move ? (~0u << i)/
