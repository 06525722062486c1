# Packets escape a cycle late.
# file: card.c
# profile: extoll
s/card->patience >= s->patience/card->patience > s->patience/
