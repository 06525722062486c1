# In a run by events, requests see charges and credits a cycle early.
# file: event/event_types.h
# profile: extoll
s/EVENT_VISIBLE = 3/EVENT_VISIBLE = 2/
