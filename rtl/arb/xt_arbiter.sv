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

  localparam int Pairs = (Width > 1) ? Width * (Width - 1) / 2 : 1;
  logic [Pairs-1:0] order;

  xt_round_robin_order #(
    .Width  (Width),
    .Group  (Group),
    .AnyLast(1)
  ) i_order (
    .last_i,
    .order_o(order)
  );
  xt_matrix_arbiter #(
    .Width(Width),
    .Group(Group)
  ) i_matrix_arbiter (
    .request_i,
    .order_i(order),
    .grant_o
  );

endmodule

`default_nettype wire
