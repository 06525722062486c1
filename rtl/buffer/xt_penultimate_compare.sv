// SPDX-License-Identifier: Apache-2.0
//
// Finds whether the packet that leaves a queue is the queue's penultimate one. Three packets may be the penultimate.
//
// Latency: combinational.
// Speed: block RAM clock-to-out, a choice of three, a comparison. The timing model of synthesis takes a block RAM's output for
// as early as a register's. So synthesis of a large card maps this module apart.
`default_nettype none

module xt_penultimate_compare #(
  /// Bits of an address.
  parameter int AddrBits = 4
) (
  /// The leaving packet, chosen among those just read.
  input  logic [AddrBits-1:0] leaves_i,
  /// The last but one of the queue as of this cycle, ...
  input  logic [AddrBits-1:0] now_i,
  /// ... of the last cycle, ...
  input  logic [AddrBits-1:0] last_i,
  /// ... and of before.
  input  logic [AddrBits-1:0] before_i,
  /// It is that of this cycle.
  input  logic                at_now_i,
  /// It is that of the last cycle, unless at_now_i.
  input  logic                at_last_i,
  /// Both are the same packet.
  output logic                same_o
);

  assign same_o = leaves_i == (at_now_i ? now_i : at_last_i ? last_i : before_i);

endmodule

`default_nettype wire
