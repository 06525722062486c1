# The room check forgets the cells that leave before it sees them.
# file: xt_credit_counter.sv
# caught by: soak credit-room
s/\(least(.*\) + Margin));/\1));/
