# An adaptive VC at the limit counts as rather empty.
# file: card/switch.h
# profile: extoll
s/(used < s->low ? bit : 0)/(used <= s->low ? bit : 0)/
