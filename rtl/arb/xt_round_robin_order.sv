// SPDX-License-Identifier: Apache-2.0
//
// The order of a round robin, in the form that xt_matrix_arbiter takes. In each group the requester behind the one
// served last comes first. The requesters behind that one follow, cyclically.
//
// With AnyLast each order is an OR of requesters between two. Whatever last_i is, after an upset none or several of a group,
// these ORs are an order: requesters with one of last_i between them stand the higher one first, others the lower one first.
//
// Latency: combinational.
// Speed: an OR of half of a group at most, with AnyLast of all but one.
`default_nettype none

module xt_round_robin_order #(
  /// Number of requesters.
  parameter int Width = 4,
  /// Group of each requester, 8 bits each, requester 0 in the low bits.
  parameter logic [Width*8-1:0] Group = '0,
  /// 1: last_i need not be one of each group.
  parameter int AnyLast = 0,
  /// Pairs of requesters; pair j*(j-1)/2 + i is that of i and j, i < j.
  localparam int Pairs = (Width > 1) ? Width * (Width - 1) / 2 : 1
) (
  /// Served last: exactly one of each group. Nobody looks at the only one of a group.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [Width-1:0] last_i,
  // verilator lint_on UNUSEDSIGNAL
  /// Of each pair: the higher one comes first. Zero for two of different groups.
  output logic [Pairs-1:0] order_o
);

  // The group that requester i belongs to.
  function automatic logic [Width-1:0] group_of(input int i);
    for (int k = 0; k < Width; k++) group_of[k] = Group[k*8+:8] == Group[i*8+:8];
  endfunction

  if (Width == 1) begin : g_alone
    assign order_o = '0;
  end
  // The higher one of two comes first if the last one served lies between them, the lower one included. Exactly one
  // of the group was served last. So the function looks outside the interval where that side has fewer requesters.
  for (genvar j = 1; j < Width; j++) begin : g_higher
    localparam logic [Width-1:0] Members = group_of(j);
    for (genvar i = 0; i < j; i++) begin : g_lower
      localparam logic [Width-1:0] Between = (((Width'(1) << (j - i)) - 1'b1) << i) & Members;
      localparam logic [Width-1:0] Elsewhere = Members & ~Between;
      if (!Members[i]) begin : g_strangers
        assign order_o[j*(j-1)/2+i] = 1'b0;
      end else if (AnyLast != 0 || $countones(Between) <= $countones(Elsewhere)) begin : g_between
        assign order_o[j*(j-1)/2+i] = (last_i & Between) != '0;
      end else begin : g_elsewhere
        assign order_o[j*(j-1)/2+i] = (last_i & Elsewhere) == '0;
      end
    end
  end

endmodule

`default_nettype wire
