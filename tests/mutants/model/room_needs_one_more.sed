# Credits off by one: a packet that just fits must wait.
# file: card/credits.h
# profile: mini
s/+ seen >= needed/+ seen > needed/
