// SPDX-License-Identifier: Apache-2.0
//
// The order of a round robin, as xt_order_arbiter takes it: the one behind who was served last comes first, then
// those behind it, cyclically.
//
// Latency: combinational, an OR of half of the requesters at most.
`default_nettype none

module xt_round_order #(
  /// Number of requesters.
  parameter int Width = 4,
  /// Pairs of requesters; pair j*(j-1)/2 + i is that of i and j, i < j.
  localparam int Pairs = (Width > 1) ? Width * (Width - 1) / 2 : 1
) (
  /// Served last, one-hot.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [Width-1:0] last_i,
  // verilator lint_on UNUSEDSIGNAL
  /// Of each pair: the higher one comes first.
  output logic [Pairs-1:0] order_o
);

  if (Width == 1) begin : g_alone
    assign order_o = '0;
  end
  // The higher one of two comes first if the last one served lies between them, the lower one included. As exactly one
  // was served last, it is not between them if it is elsewhere, where that is less to look at.
  for (genvar j = 1; j < Width; j++) begin : g_higher
    for (genvar i = 0; i < j; i++) begin : g_lower
      localparam logic [Width-1:0] Between = ((Width'(1) << (j - i)) - 1'b1) << i;
      if (2 * (j - i) <= Width) begin : g_between
        assign order_o[j*(j-1)/2+i] = (last_i & Between) != '0;
      end else begin : g_elsewhere
        assign order_o[j*(j-1)/2+i] = (last_i & ~Between) == '0;
      end
    end
  end

endmodule

`default_nettype wire
