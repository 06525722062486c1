# A candidate may be the link of arrival.
# file: xt_input_receive.sv
# profile: extoll
# caught by: adaptive-choice
s/ & Onward;/;/
