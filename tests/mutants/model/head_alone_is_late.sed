# The only head of an input is matched a cycle late.
# file: event/event_types.h
# profile: extoll
s/EVENT_LOOKUP = 2/EVENT_LOOKUP = 3/
