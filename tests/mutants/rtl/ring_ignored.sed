# Into a ring like along it.
# file: xt_input_unit.sv
# profile: bubble
# caught by: rings
s/\.write_enters_i  *(enters)/.write_enters_i  (1'b0 \& enters)/
