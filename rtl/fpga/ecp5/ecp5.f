xt_ddr_in_ecp5.sv
xt_ddr_out_ecp5.sv
xt_pll_ecp5.sv
