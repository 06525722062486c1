xt_async_fifo.sv
xt_fifo_front.sv
xt_front_ends.sv
xt_ft245.sv
xt_uart.sv
