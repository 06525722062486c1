xt_pll_ice40.sv
