# Reading a counter takes a cycle less.
# file: counters.c
# profile: extoll
s/COLLECT = 2 \* SHORT_BITS + 1/COLLECT = 2 * SHORT_BITS/
