# A sender repeats a cycle too early.
# file: card/link.c
# profile: extoll
s/tx->timer == 1;/tx->timer == 2;/
