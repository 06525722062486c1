# A write of no byte answers SLVERR at a register that can be written.
# file: xt_registers.sv
# caught by: byte-strobes
s/(write_hit || write_none_q)/write_hit/
