# A queue that becomes empty can be served once more.
# file: xt_input_unit.sv
# caught by: soak
s/eligible_q\[Queues-2:0\] & ~exhausted\[Queues-2:0\];/eligible_q[Queues-2:0];/
