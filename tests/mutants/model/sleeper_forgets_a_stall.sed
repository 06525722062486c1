# An input that waits asleep counts a stall too few.
# file: event/event_sleep.c
# profile: extoll
s/count_stalls(card, i, f->stalls\[i\], n);/count_stalls(card, i, f->stalls[i], n - 1);/
