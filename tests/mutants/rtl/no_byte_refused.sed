# A write of no byte answers SLVERR at a register that can be written.
# file: xt_register_bus.sv
# caught by: byte-strobes
s/ || write_none_q//
