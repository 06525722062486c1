# A packet that starts in the cycle in which a credit comes is not charged.
# file: xt_credit_reserves.sv
# caught by: soak
s/(charge_q && charge_vc_q == v\[VcBits-1:0\]) ?/(charge_q \&\& !credit_q \&\& charge_vc_q == v[VcBits-1:0]) ?/
