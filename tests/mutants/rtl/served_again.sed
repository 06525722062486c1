# The queue in stage S can be chosen again, before its next head is known.
# file: xt_input_scheduler.sv
# caught by: soak
s/may_start_q & ~serve_o\[Queues-2:0\];/may_start_q;/
