# An input that waits is not woken when its output is let go.
# file: event/event.c
# profile: extoll
s/event_wake_waiting(f, card);/(void)card;/
