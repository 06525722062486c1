# Packets escape a cycle late.
# file: card/card.c
# profile: extoll
s/card->patience >= card->settings.patience/card->patience > card->settings.patience/
