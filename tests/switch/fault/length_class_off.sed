# A packet one cell longer than a length class is taken for one of that class.
# file: xt_voq_buffer.sv
# caught by: soak
s/32'(len) + 1 > /32'(len) > /
