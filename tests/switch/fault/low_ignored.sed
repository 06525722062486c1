# A candidate with few used credits is not preferred.
# file: xt_input_unit.sv
# profile: extoll
# caught by: adaptive-choice
s/if ((group & low) != '0) group = group & low;//
