# Every traffic class gets a packet more per round.
# file: card/scheduler.h
# profile: extoll
s/(weight\[t\] + 1) \* unit/(weight[t] + 2) * unit/
