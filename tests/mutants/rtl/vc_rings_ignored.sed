# All VCs of an output are taken for ones of the ring of VC 0.
# file: xt_input_receive.sv
# profile: bubble4
# caught by: rings
s/all_from\[o\*16+.*\*4+:4\] == 4'(Port)/ring_i[o*12+:4] == 4'(Port)/
