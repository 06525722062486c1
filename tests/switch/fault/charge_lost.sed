# A packet that starts in the cycle in which a credit of its VC comes is not charged.
# file: xt_credit_counter.sv
# caught by: soak
s/if (.*) credit_old = charge_new;//
