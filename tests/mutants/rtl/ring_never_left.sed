# What goes on in a ring needs as much room as what enters.
# file: xt_input_receive.sv
# profile: bubble
# caught by: rings
s/ring_i\[o\*12+:4\] == 4'(Port)/1'b0/
