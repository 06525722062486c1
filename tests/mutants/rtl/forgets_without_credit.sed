# An input forgets the output that it waits for in every cycle without credit there.
# file: xt_input_scheduler.sv
# profile: node
# caught by: permutation-longest-single-vc
# passes: streams-in-step rare-sender
s/waited_q | may_start_there/may_start_there/
