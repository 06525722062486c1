xt_counter_bank.sv
xt_error_capture.sv
xt_event_counter.sv
xt_port_counters.sv
xt_port_registers.sv
xt_registers.sv
