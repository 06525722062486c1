// SPDX-License-Identifier: Apache-2.0
//
// The order of a round robin, in the form that xt_matrix_arbiter takes. The requester behind the one served last comes
// first. The requesters behind that one follow, cyclically.
//
// Latency: combinational.
// Speed: an OR of half of the requesters at most.
`default_nettype none

module xt_round_robin_order #(
  /// Number of requesters.
  parameter int Width = 4,
  /// Pairs of requesters; pair j*(j-1)/2 + i is that of i and j, i < j.
  localparam int Pairs = (Width > 1) ? Width * (Width - 1) / 2 : 1
) (
  /// Served last, one-hot; for zero the order does not matter. Nobody looks at the only one.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [Width-1:0] last_i,
  // verilator lint_on UNUSEDSIGNAL
  /// Of each pair: the higher one comes first.
  output logic [Pairs-1:0] order_o
);

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips an order that does not matter
`endif

  // The higher one of two comes first if the last one served lies between them, the lower one included. The function
  // looks outside the interval where that side has fewer requesters.
  logic [Width-1:0] between;
  // Why always @*: rtl/README.md.
  always @* begin : compare
    int i, j;
    i = 0;
    j = 0;
    order_o = '0;
    between = '0;
    if (NoSkip || last_i != '0) begin
      for (j = 1; j < Width; j = j + 1) begin
        for (i = 0; i < Width; i = i + 1) begin
          between = ((Width'(1) << (j - i)) - 1'b1) << i;
          if (i < j) order_o[j*(j-1)/2+i] = (2 * (j - i) <= Width) ? (last_i & between) != '0 : (last_i & ~between) == '0;
        end
      end
    end
  end

endmodule

`default_nettype wire
