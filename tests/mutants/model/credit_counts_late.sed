# A credit alone does not make room.
# file: card/credits.h
# profile: extoll
s/c->changed = c->charged | c->credited;/c->changed = c->charged;/
