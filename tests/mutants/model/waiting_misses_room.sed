# An input that waits does not learn that there is not room for everything any more.
# file: event/event_stream.c
# profile: extoll
s/if (f->waiting \&\& !event_is_ample/if (0 \&\& !event_is_ample/
