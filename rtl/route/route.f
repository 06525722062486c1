xt_adaptive_choice.sv
xt_route_table.sv
xt_table_code.sv
xt_table_correct.sv
