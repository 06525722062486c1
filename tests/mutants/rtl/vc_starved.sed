# The first VC of a TC always goes first.
# file: xt_vc_arbiter.sv
# caught by: fair-classes
s/last_q       <= last;/last_q       <= last_q;/
