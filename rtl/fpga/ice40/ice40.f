xt_pll.sv
