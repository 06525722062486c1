# A quiesced link port starts packets.
# file: xt_card.sv
# caught by: quiesce
s/link_hold\[p\] | quiesce\[p\];/link_hold[p];/
