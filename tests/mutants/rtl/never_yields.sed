# Single cells that arrive without a pause keep an escape from its queue for ever.
# file: xt_input_unit.sv
# profile: extoll
# caught by: adaptive-escape
s/assign yields = held_off_q == '1;/assign yields = 1'b0;/
