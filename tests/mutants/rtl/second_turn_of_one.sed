# The pointers stay in one of 127 matchings: of two, three, six or seven inputs that take turns the same one has the second turn.
# file: xt_islip.sv
# profile: extoll
# caught by: fair-inputs-longest
# passes: turn-without-credit
s/matchings_q + 1'b1/stays ? 7'd1 : matchings_q + 1'b1/
