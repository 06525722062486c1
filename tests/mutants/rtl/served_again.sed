# The queue in stage S can be chosen again, before its next head is known.
# file: xt_input_scheduler.sv
# caught by: soak
s/able_q & ~serve_o\[Queues-2:0\];/able_q;/
