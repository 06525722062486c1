# Every usable port is a candidate.
# file: xt_input_receive.sv
# profile: extoll
# caught by: adaptive-choice adaptive-soak
s/usable_q & route\[xt_pkg::EntryMaskLsb+:Links\]/usable_q/
