xt_crossbar.sv
xt_grant_mux.sv
xt_input_unit.sv
xt_islip.sv
xt_stall_watchdog.sv
xt_switch.sv
xt_switch_allocator.sv
xt_vc_arbiter.sv
