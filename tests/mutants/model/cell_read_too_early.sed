# A cell is read in the cycle after it was written.
# file: card/input_queues.h
# profile: extoll
s/b->arrived - (unsigned)(in->written \&\& in->arriving == in->stream)/b->arrived/
