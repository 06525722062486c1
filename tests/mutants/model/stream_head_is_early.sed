# In a run by events a head reaches the next card a cycle early.
# file: event/event_stream.c
# profile: extoll
s/EVENT_TAKEN + network->latency + FAST_LINK_CYCLES, EVENT_HEAD/EVENT_TAKEN + network->latency + FAST_LINK_CYCLES - 1, EVENT_HEAD/
