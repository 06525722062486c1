# What a ramp of cells or credits has done so far is one too many.
# file: event/event_types.h
# profile: extoll
s/t - at + 1 < cells ? (unsigned)(t - at + 1)/t - at + 2 < cells ? (unsigned)(t - at + 2)/
