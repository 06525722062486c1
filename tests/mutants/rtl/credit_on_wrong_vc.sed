# The credit of a first cell goes to the VC of the packet before.
# file: xt_voq_buffer.sv
# caught by: soak
s/<= s_first ? s_vc : s_vc_q;/<= s_vc_q;/
