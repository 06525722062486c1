# A packet that starts in the cycle in which a credit comes consumes no credit.
# file: xt_credit_reserves.sv
# caught by: soak
s/(consume_q && consume_vc_q == v\[VcBits-1:0\]) ?/(consume_q \&\& !credit_q \&\& consume_vc_q == v[VcBits-1:0]) ?/
