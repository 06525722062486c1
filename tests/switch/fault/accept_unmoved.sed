# The accept pointers never move.
# file: xt_islip.sv
# caught by: fair-outputs
s/\(accept_above_q\[.*\] <= \)above_output(accepted);/\1'1;/
