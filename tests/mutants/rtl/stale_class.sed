# The length class of a packet that moves up to the head of its queue is never looked up.
# file: xt_queue_flags.sv
# profile: extoll
# caught by: credit-room
s/= next_onehot_i & ~serve_i;/= '0;/
