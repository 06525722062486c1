# The queue in stage S can be chosen again, before its next head is known.
# file: xt_vc_arbiter.sv
# caught by: soak
s/eligible_i & ~served_i/eligible_i/
