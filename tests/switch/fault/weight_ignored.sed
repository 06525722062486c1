# Every traffic class has the same share.
# file: xt_tc_weights.sv
# profile: extoll
# caught by: shares-longest shares-one-cell
s/block_o    <= (weighted_q.*/block_o    <= '0;/
