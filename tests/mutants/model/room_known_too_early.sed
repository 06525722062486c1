# A request that is made good a cycle later knows of the room that the later cycle sees.
# file: event/event_types.h
# profile: node
s/EVENT_SETTLED = EVENT_VISIBLE + 1/EVENT_SETTLED = EVENT_VISIBLE/
