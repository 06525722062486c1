# A packet whose route leads back is not dropped: it goes to a queue that nobody serves.
# file: xt_input_receive.sv
# caught by: route-lookup
# passes: idle-latency
# profile: ring
s/Allowed\[o\] && route/route/
