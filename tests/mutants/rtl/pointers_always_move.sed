# The pointers move in every matching.
# file: xt_islip.sv
# profile: node
# caught by: turn-without-credit
# passes: fair-inputs-longest rare-sender streams-in-step
s/if (!stays)/if (1'b1)/
