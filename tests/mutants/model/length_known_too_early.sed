# The length of a queue's next packet is taken for that of the last one.
# file: card/input_queues.h
# profile: mini
s/if (!(in->single\[output\] \& bit))/if (0)/
