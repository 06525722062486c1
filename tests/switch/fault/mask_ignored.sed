# Every usable port is a candidate.
# file: xt_input_unit.sv
# profile: extoll
# caught by: adaptive-choice adaptive-soak
s/candidates & route\[xt_pkg::EntryMaskLsb+:Links\]/candidates/
