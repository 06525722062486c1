# Packets that stay in a ring are taken for ones that enter it.
# file: card/input_receive.h
# profile: bubble
s/!(from == port/!(from != port/
