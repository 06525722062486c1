// SPDX-License-Identifier: Apache-2.0
//
// Selects one of two bits by whether two numbers are equal.
//
// Latency: combinational.
// Speed: three levels of logic for up to fifteen bits. A block RAM tells one of the numbers, late. So synthesis of a large card
// maps this module apart. Where the comparison itself is wanted xt_equal has a level less: no constant passes into such a module.
`default_nettype none

module xt_select_equal #(
  /// Bits of a number.
  parameter int Width = 4
) (
  /// Compare; otherwise the numbers count as different.
  input  logic             valid_i,
  /// A number.
  input  logic [Width-1:0] a_i,
  /// Another one.
  input  logic [Width-1:0] b_i,
  /// The result if they are equal ...
  input  logic             equal_i,
  /// ... and if not.
  input  logic             other_i,
  /// The result.
  output logic             result_o
);

  assign result_o = (valid_i && a_i == b_i) ? equal_i : other_i;

endmodule

`default_nettype wire
