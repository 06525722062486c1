# A packet that is queued while the last one of its queue leaves is linked behind that one.
# file: xt_voq_buffer.sv
# caught by: soak
s/s_first_q && (e_queue_q == s_queue_q)};/1'b0};/
