# The only head of an input is matched a cycle late.
# file: event/event.h
# profile: extoll
s/FLOW_LOOKUP = 2/FLOW_LOOKUP = 3/
