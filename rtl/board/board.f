xt_board.sv
xt_board_registers.sv
xt_board_reset.sv
xt_board_top.sv
xt_node.sv
xt_phy_pins.sv
xt_stream_slice.sv
xt_traffic.sv
