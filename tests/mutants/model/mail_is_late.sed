# What one shard of a network sends to another is opened an epoch late.
# file: event/shards.c
# profile: extoll
s/shards->epoch + SHEETS - 1)->letters/shards->epoch + SHEETS - 2)->letters/
