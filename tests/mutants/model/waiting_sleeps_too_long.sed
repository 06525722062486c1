# An input that waits is not woken when its output is let go.
# file: event/event.c
# profile: extoll
s/flow_wake_waiting(f, card);/(void)card;/
