# A PE that has taken some cells of a packet gets the first ones again.
# file: event/event_run.c
# profile: extoll
s/words + (size_t)first \* CELL_WORDS, count/words, count/
