# Behind a single cell input and output stay busy for a cycle, as behind a longer packet.
# file: xt_input_scheduler.sv
# caught by: permutation-one-cell
s/long_o\[o\] = .*;/long_o[o] = any[o];/
