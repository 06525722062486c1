# An escape that finds its input busy is put off by a cycle, in step with packets of two cells.
# file: xt_input_unit.sv
# profile: extoll
# caught by: adaptive-escape
s/(serve_own && own_requeue_q)/(own_requeue_q \&\& own_q != '0)/
