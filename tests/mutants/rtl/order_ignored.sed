# Local first routes like global first.
# file: xt_route_table.sv
# caught by: route-lookup
s/ \&\& !(order \&\& .*);/;/
