// SPDX-License-Identifier: Apache-2.0
//
// Choice of an output among the inputs that ask it, or of an input among the outputs that grant it: a matrix arbiter of those
// that may.
//
// Latency: combinational.
// Speed: two levels of logic for seven requesters. Beside longer ways synthesis makes more levels of it, although the wires
// behind a match are long. So synthesis of a large card maps this module apart.
`default_nettype none

module xt_islip_choice #(
  /// Number of requesters.
  parameter int Width = 4,
  /// Those that may request; the others never do.
  parameter logic [Width-1:0] Allowed = {Width{1'b1}},
  /// Pairs of requesters, as in xt_matrix_arbiter.
  localparam int Pairs = (Width > 1) ? Width * (Width - 1) / 2 : 1
) (
  /// Requests.
  input  logic [Width-1:0] request_i,
  /// Of each pair: the higher one comes first.
  input  logic [Pairs-1:0] order_i,
  /// The winner, one-hot; zero without a request.
  output logic [Width-1:0] grant_o
);

  xt_matrix_arbiter #(
    .Width(Width)
  ) i_arbiter (
    .request_i(request_i & Allowed),
    .order_i,
    .grant_o
  );

endmodule

`default_nettype wire
