# An input sleeps although the output that its head waits for is free.
# file: flow_card.c
# profile: extoll
s/(!in->busy \&\& (in->request \& ~(unsigned)card->output_busy)) ||/0 ||/
