# A packet that is queued while the last one of its queue leaves is linked behind that one.
# file: xt_voq_buffer.sv
# caught by: soak
s/|| (serve_valid_i && enqueue_queue_i == serve_queue_i && !s_refill)//
