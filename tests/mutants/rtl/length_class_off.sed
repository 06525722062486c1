# A packet one cell longer than a length class is taken for one of that class.
# file: xt_length_class.sv
# caught by: soak
s/if (len_i >= LenBits/if (len_i > LenBits/
