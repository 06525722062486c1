# The pointers stay a matching later.
# file: card/scheduler.h
# profile: extoll
s/card->matchings != STAY_PERIOD - 1/card->matchings != STAY_PERIOD/
