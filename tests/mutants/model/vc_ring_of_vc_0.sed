# All VCs of an output are taken for ones of the ring of VC 0.
# file: card/input_receive.h
# profile: bubble4
s/VC_RINGS \&\& vc ?/VC_RINGS \&\& vc > VCS ?/
