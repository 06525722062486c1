# A stream does not wait for cells that have not arrived.
# file: xt_voq_buffer.sv
# caught by: soak
s/assign s_wait = .*/assign s_wait = 1'b0;/
