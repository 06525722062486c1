# What a match starts may have more than one cell, and its input and output are matched again at once.
# file: xt_input_scheduler.sv
# caught by: uniform-longest
s/long_o\[o\] = .*;/long_o[o] = 1'b0;/
