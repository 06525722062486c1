# The accept pointers never move.
# file: xt_islip.sv
# caught by: fair-outputs
s/\(accept_order_q\[.*\]\) <= order;/\1 <= \1;/
