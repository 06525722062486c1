# After an early tlast the packet goes on with the next packet's beats.
# file: xt_nic_inject.sv
# caught by: nic-framing
s/pad_q *<= ~ends & .*/pad_q <= 1'b0;/
