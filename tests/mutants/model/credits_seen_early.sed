# In a run by events, requests see charges and credits a cycle early.
# file: event/event.h
# profile: extoll
s/FLOW_VISIBLE = 3/FLOW_VISIBLE = 2/
