# Packets sent are counted by their length.
# file: card/crossbar.h
# profile: mini
s/COUNT_TX_PACKETS + tc\]++/COUNT_TX_PACKETS + tc] += x->len[i]/
