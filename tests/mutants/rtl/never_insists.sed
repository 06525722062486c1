# An input never asks for an output alone that is never free in time.
# file: xt_input_scheduler.sv
# profile: extoll
# caught by: streams-in-step
# passes: rare-sender injection-bound
s/not_now         = insists ?/not_now         = 1'b0 ?/
