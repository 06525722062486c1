# Single cells that arrive without a pause keep an escape from its queue for ever.
# file: xt_escape_choice.sv
# profile: extoll
# caught by: adaptive-escape
s/assign yields_o  *= held_off_q == '1;/assign yields_o = 1'b0;/
