# The credit check forgets the cells that leave before it sees them.
# file: xt_credit_reserves.sv
# caught by: soak credit-room
s| + Margin)))|)))|
