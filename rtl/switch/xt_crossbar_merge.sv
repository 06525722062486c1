// SPDX-License-Identifier: Apache-2.0
//
// A step of the chain of xt_crossbar: passes the word on, or takes one of two inputs in its place. The word itself says which,
// as nothing else is to be passed on then: zeros the even one, ones the odd one.
//
// Latency: combinational.
// Speed: one lookup table of four inputs. Synthesis of a large card maps this module apart, so that it stays one.
`default_nettype none

module xt_crossbar_merge #(
  /// Bits of a word.
  parameter int Bits = 8
) (
  /// What the steps before pass on.
  input  logic [Bits-1:0] word_i,
  /// Input to be taken if the word is zero.
  input  logic [Bits-1:0] even_i,
  /// Input to be taken if the word is all ones.
  input  logic [Bits-1:0] odd_i,
  /// Take an input.
  input  logic            merge_i,
  /// The word or the input.
  output logic [Bits-1:0] word_o
);

  assign word_o = merge_i ? (even_i & ~word_i) | (odd_i & word_i) : word_i;

endmodule

`default_nettype wire
