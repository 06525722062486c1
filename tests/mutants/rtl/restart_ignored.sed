# Credits that a dead link owed stay owed.
# file: xt_credit_counter.sv
# profile: extoll
# caught by: link-retrain
s/if (!rst_ni || restart_i) begin/if (!rst_ni) begin/
s/rst_ni & ~restart_i/rst_ni/
