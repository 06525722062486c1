xt_card.sv
xt_profile_check.sv
