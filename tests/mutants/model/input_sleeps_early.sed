# An input sleeps in the cycle in which a head has come, before that is queued.
# file: event/event_card.c
# profile: extoll
s/if (!input_is_settled(in) ||/if (in->busy_with.serve ||/
s/if (input_only_streams(in)) {/if (!in->busy_with.serve \&\& !in->outputs) {/
