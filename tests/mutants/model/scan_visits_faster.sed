# Reading a counter takes a cycle less.
# file: card/counter_access.h
# profile: extoll
s/COUNTER_COLLECT = 2 \* COUNTER_SHORT_BITS + 1/COUNTER_COLLECT = 2 * COUNTER_SHORT_BITS/
