# Packets from a NIC give way without end.
# file: xt_injection_timer.sv
# caught by: injection-bound
s/(left_q >> 1) != '0/1'b1/
