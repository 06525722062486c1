# An input gives way for ever where each match elsewhere lets it give way anew.
# file: xt_input_scheduler.sv
# caught by: injection-beside-others
# passes: injection-bound
s/serve_valid_o && (busy_i || (gives_way_i & watched_q) != '0)/serve_valid_o \&\& busy_i \&\& (gives_way_i \& watched_q) == '0/
