# A packet one cell longer than a length class is taken for one of that class.
# file: xt_voq_buffer.sv
# caught by: soak
s/if (len >= LenBits/if (len > LenBits/
