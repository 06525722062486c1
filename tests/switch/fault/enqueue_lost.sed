# A packet that comes when the last one of its queue is served is not seen.
# file: xt_voq_buffer.sv
# caught by: soak
s/(nonempty_q & ~becomes_empty) | enqueue_onehot_i;/(nonempty_q | enqueue_onehot_i) \& ~becomes_empty;/
