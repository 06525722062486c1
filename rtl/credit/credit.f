xt_credit_counter.sv
xt_credit_reserves.sv
xt_credits.sv
