# A receiver that waits for a repetition asks again.
# file: link.c
# profile: extoll
s/(ahead || error) \&\& !rx->missed/(ahead || error)/
