# What one part of a network sends to another is opened an epoch late.
# file: event/shards.c
# profile: extoll
s/parts->epoch + SHEETS - 1)->letters/parts->epoch + SHEETS - 2)->letters/
