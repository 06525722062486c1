# Into a ring like along it.
# file: xt_input_unit.sv
# profile: bubble
# caught by: rings
s/e_enters_q    <= enters;/e_enters_q    <= 1'b0 \& enters;/
