# A receiver that waits for a repetition asks again.
# file: card/link.c
# profile: extoll
s/(ahead || error) \&\& !rx->missed/(ahead || error)/
