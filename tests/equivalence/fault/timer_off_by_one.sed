# A sender repeats a cycle too early.
# file: link.c
# profile: extoll
s/tx->timer == 1;/tx->timer == 2;/
