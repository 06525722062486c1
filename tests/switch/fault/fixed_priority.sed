# The grant pointers never move.
# file: xt_islip.sv
# caught by: fair-inputs-longest rare-sender
s/\(grant_last_q\[.*\]\) <= accepted;/\1 <= \1;/
