# A packet that must escape stays where it is.
# file: xt_input_unit.sv
# profile: extoll
# caught by: adaptive-escape
s/must_escape\[o\*Vcs+v\] = must_q.*/must_escape[o*Vcs+v] = 1'b0;/
