# Reads wait while there are writes.
# file: xt_register_bus.sv
# caught by: held-requests
s/ && !(arvalid_i && wrote_q && !rvalid_o);/;/
