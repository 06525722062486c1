# Every traffic class has the same share.
# file: xt_deficit_round_robin.sv
# profile: extoll
# caught by: shares-longest shares-one-cell
s/block_o    <= (weighted_q.*/block_o    <= '0;/
