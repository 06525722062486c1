# Packets from a NIC give way without end.
# file: xt_injection_timers.sv
# caught by: injection-bound
s/last_q != time_q/1'b1/
s/(left_q >> 1) != '0/gives_way_q/
