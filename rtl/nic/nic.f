xt_latency_histogram.sv
xt_nic_eject.sv
xt_nic_inject.sv
xt_packet_fifo.sv
