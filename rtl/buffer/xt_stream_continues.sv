// SPDX-License-Identifier: Apache-2.0
//
// Tells whether a stream continues beyond the next cycle. The marks of a head just read from one of two block RAMs
// decide, or a registered result. All inputs and outputs of a switch wait for the answer.
//
// Latency: combinational.
// Speed: block RAM clock-to-out and two levels of logic. The timing model of synthesis takes a block RAM's
// output for as early as a register's. So synthesis of a large card maps this module apart.
`default_nettype none

module xt_stream_continues (
  /// A head starts and is the one of linked_marks_i.
  input  logic       linked_i,
  /// The packet has more than one cell (bit 0), more than two (bit 1). Timing: late.
  input  logic [1:0] linked_marks_i,
  /// A head starts and is the one of next_marks_i.
  input  logic       next_i,
  /// As linked_marks_i.
  input  logic [1:0] next_marks_i,
  /// The same marks if a head starts and is from neither memory, else zero.
  input  logic [1:0] early_marks_i,
  /// The packet may be incomplete, so its second cell does not count as the last.
  input  logic       open_i,
  /// Another stream continues.
  input  logic       otherwise_i,
  /// A stream continues.
  output logic       continues_o
);

  assign continues_o = (linked_i & (open_i ? linked_marks_i[0] : linked_marks_i[1]))
                     | (next_i & (open_i ? next_marks_i[0] : next_marks_i[1]))
                     | (open_i ? early_marks_i[0] : early_marks_i[1]) | otherwise_i;

endmodule

`default_nettype wire
