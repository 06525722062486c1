// SPDX-License-Identifier: Apache-2.0
//
// Round-robin choice; the caller keeps the pointer. In each group of requesters the winner is the first requester
// behind the one served last in that group, cyclically.
//
// Fairness: the caller decides by when the caller moves last_i. One requester of each group wins whatever last_i is, so a
// pointer recovers from an upset by the next service. The highest requester of a group needs no bit in last_i.
// Latency: combinational.
// Speed: two levels of logic from a request, for up to seven requesters in a group. The order is a function of last_i
// alone.
`default_nettype none

module xt_arbiter #(
  /// Number of requesters.
  parameter int Width = 4,
  /// Group of each requester, 8 bits each, requester 0 in the low bits.
  parameter logic [Width*8-1:0] Group = '0
) (
  /// Requests.
  input  logic [Width-1:0] request_i,
  /// Served last: one of each group.
  input  logic [Width-1:0] last_i,
  /// Winners: one of each group that requests.
  output logic [Width-1:0] grant_o
);

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips what no request asks for
`endif

  // Requesters of the group of `high`, from `low` on and below `high`.
  function automatic logic [Width-1:0] between(input int low, input int high);
    for (int k = 0; k < Width; k++) between[k] = k >= low && k < high && Group[k*8+:8] == Group[high*8+:8];
  endfunction

  // Of two, the higher one comes first if one of last_i lies between them, the lower one included. So whatever last_i is,
  // this is an order.
  logic [Width-1:0] ahead;  // requesters of the group that come before the one looked at
  // Why always @*: rtl/README.md.
  always @* begin : arbitrate
    int i, k;
    i = 0;
    k = 0;
    grant_o = '0;
    ahead   = '0;
    if (NoSkip || request_i != '0) begin
      for (i = 0; i < Width; i = i + 1) begin
        ahead = '0;
        for (k = 0; k < Width; k = k + 1) begin
          if (Group[k*8+:8] == Group[i*8+:8]) begin
            if (k < i) ahead[k] = (last_i & between(k, i)) == '0;
            if (k > i) ahead[k] = (last_i & between(i, k)) != '0;
          end
        end
        grant_o[i] = request_i[i] && (request_i & ahead) == '0;
      end
    end
  end

endmodule

`default_nettype wire
