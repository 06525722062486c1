// SPDX-License-Identifier: Apache-2.0
//
// Tells whether two numbers are equal.
//
// Latency: combinational.
// Speed: two levels of logic for six bits. Beside longer ways synthesis makes more levels of a comparison, although the
// wires behind it are long. So synthesis of a large card maps this module apart.
`default_nettype none

module xt_equal #(
  /// Bits of a number.
  parameter int Width = 4
) (
  /// Compare; otherwise equal_o is not set.
  input  logic             valid_i,
  /// A number.
  input  logic [Width-1:0] a_i,
  /// Another one.
  input  logic [Width-1:0] b_i,
  /// They are equal.
  output logic             equal_o
);

  assign equal_o = valid_i && a_i == b_i;

endmodule

`default_nettype wire
