# An input whose stream began asleep does not count the cell that came before its first one left.
# file: event/event_sleep.c
# profile: extoll
s/grows = whole \&\& !in->x_valid/grows = 0 \&\& whole/
