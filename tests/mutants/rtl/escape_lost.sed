# A packet that must escape stays where it is.
# file: xt_escape_choice.sv
# profile: extoll
# caught by: adaptive-escape
s/assign must  *= must_q & ~serve_i;/assign must = '0;/
