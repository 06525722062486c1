# In a run by events a card is taken for idle a cycle early.
# file: event/event_counters.c
# profile: extoll
s/last_other(card, f, end)) + QUIET_CYCLES/last_other(card, f, end)) + QUIET_CYCLES - 1/
