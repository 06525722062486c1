# A write response that waits holds up reads: a master that takes it behind its read data waits for ever.
# file: xt_register_bus.sv
# caught by: held-responses
s/(bvalid_o & ~b_waits_q)/bvalid_o/
