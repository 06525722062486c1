# The first VC of a TC always goes first.
# file: xt_vc_select.sv
# caught by: fair-classes
s/queue_above_q <= queue_above_d;/queue_above_q <= '1;/
