# The queue of illegal routes always goes first, so a flood of such cells holds its input.
# file: xt_input_scheduler.sv
# profile: mini
# caught by: illegal-routes-beside
s/ & ~(dropped_q & (escape | any_q != '0));/;/
