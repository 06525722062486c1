# A queue that becomes empty can be served once more.
# file: xt_input_scheduler.sv
# caught by: soak
s/able_q & ~retry_mask_i\[Queues-2:0\];/able_q;/
