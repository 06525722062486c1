# A packet that is queued while the last one of its queue leaves is linked behind that one.
# file: xt_voq_buffer.sv
# caught by: soak
s/= enqueue_onehot_i & ~stays;/= enqueue_onehot_i \& ~nonempty;/
