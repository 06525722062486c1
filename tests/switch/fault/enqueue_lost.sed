# A packet that comes when the last one of its queue is served is not seen.
# file: xt_voq_buffer.sv
# caught by: soak
s/(serve_i & (several | enqueue_onehot))/(serve_i \& several)/
