# The stream of a head that is matched begins in the cycle of the match.
# file: event/event_stream.c
# profile: extoll
s/start_stream(network, c, i, \&stream, t + 1);/start_stream(network, c, i, \&stream, t);/
