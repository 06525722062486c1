xt_ddr_in.sv
xt_ddr_out.sv
xt_pll.sv
