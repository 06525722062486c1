# An escape that finds its input busy is put off by a cycle, in step with packets of two cells.
# file: xt_input_scheduler.sv
# profile: extoll
# caught by: adaptive-escape
s/escape_taken_o = serve_own & own_requeue_q;/escape_taken_o = own_requeue_q \&\& own_q != '0;/
