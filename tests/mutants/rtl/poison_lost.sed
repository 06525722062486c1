# The mark of an incomplete packet gets lost on its way through the switch.
# file: xt_link_port.sv
# profile: extoll
# caught by: poison link-cut
s/= {poison, from_link};/= {1'b0 \& poison, from_link};/
