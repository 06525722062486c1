# A packet's number is free before the client has been told that it has come.
# file: parts.c
# profile: extoll
s/take_back(part, number, parts->epoch + SHEETS - 2)/take_back(part, number, parts->epoch + SHEETS - 1)/
