xt_card.sv
