# Local first routes like global first.
# file: xt_route_table.sv
# caught by: route-lookup
s/global_differs & ~(order & local_differs)/global_differs/
