# A packet that comes when the last one of its queue is served is not seen.
# file: xt_queues_registers.sv
# caught by: soak
s/<= (nonempty_q & ~(serve_i & ~ge2_q)) | enqueue_onehot_i;/<= (nonempty_q | enqueue_onehot_i) \& ~(serve_i \& ~ge2_q);/
