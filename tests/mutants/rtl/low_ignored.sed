# A candidate with few used credits is not preferred.
# file: xt_input_receive.sv
# profile: extoll
# caught by: adaptive-choice
s/low    = low_i\[t\*Links+:Links\];/low    = low_i[t*Links+:Links] \& {Links{1'b0}};/
