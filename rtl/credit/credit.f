xt_credit_counter.sv
xt_credit_reserves.sv
xt_credit_usage.sv
xt_credits.sv
