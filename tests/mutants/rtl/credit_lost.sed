# A credit that comes in the cycle in which a packet starts is lost.
# file: xt_credit_reserves.sv
# caught by: soak
s/credit_q  <= credit_i;/credit_q  <= credit_i \& ~consume_i;/
