# The accept pointers never move.
# file: xt_islip.sv
# caught by: fair-outputs
s/\(accept_last_q\[.*\]\) <= accepted;/\1 <= \1;/
