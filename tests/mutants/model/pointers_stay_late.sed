# The pointers stay a matching later.
# file: card/scheduler.h
# profile: extoll
s/(card->matchings + 1) % STAY_PERIOD/(card->matchings + 1) % (STAY_PERIOD + 1)/
