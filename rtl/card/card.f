xt_card.sv
xt_idle_detector.sv
xt_link_port.sv
xt_nic_port.sv
xt_profile_check.sv
