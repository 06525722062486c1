# The first VC of a TC always goes first.
# file: xt_vc_select.sv
# caught by: fair-classes
s/last_q       <= last;/last_q       <= last_q;/
