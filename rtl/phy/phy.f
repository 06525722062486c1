xt_8b10b_code.sv
xt_phy.sv
xt_phy_code_rx.sv
xt_phy_code_tx.sv
xt_phy_lane.sv
xt_phy_rx.sv
xt_phy_tx.sv
