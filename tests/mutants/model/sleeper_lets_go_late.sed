# A sleeping input holds its output a cycle too long.
# file: event/event_stream.c
# profile: extoll
s/t + reads, EVENT_RELEASE/t + reads + 1, EVENT_RELEASE/
