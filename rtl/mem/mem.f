xt_ram_1r1rw.sv
xt_ram_1r1w.sv
xt_ram_1rw.sv
xt_ram_async.sv
