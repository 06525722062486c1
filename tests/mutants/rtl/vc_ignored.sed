# The VC of the table entry is ignored.
# file: xt_input_receive.sv
# caught by: route-lookup
s/&& 8'(route\[xt_pkg::EntryVcLsb+:xt_pkg::EntryVcBits\])/\&\& 8'(0)/
