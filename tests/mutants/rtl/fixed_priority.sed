# The grant pointers never move.
# file: xt_islip.sv
# caught by: fair-inputs-longest rare-sender
s/\(grant_order_q\[.*\]\) <= order;/\1 <= \1;/
