# An input that wakes up has read a cell less than it should.
# file: event/event_sleep.c
# profile: extoll
s/in->stream_index + read);/in->stream_index + read - (read > 3));/
