# The grant pointers never move.
# file: xt_islip.sv
# caught by: fair-inputs-longest rare-sender
s/\(grant_above_q\[.*\] <= \)above_input(accepted);/\1'1;/
