# In a run by events a head reaches the next card a cycle early.
# file: event/event_stream.c
# profile: extoll
s/FLOW_TAKEN + network->latency + LANE_CYCLES, FLOW_HEAD/FLOW_TAKEN + network->latency + LANE_CYCLES - 1, FLOW_HEAD/
