# The length class of a packet that moves up to the head of its queue is never looked up.
# file: xt_voq_buffer.sv
# profile: extoll
# caught by: credit-room
s/= f_onehot_q & ~serve_i;/= '0;/
