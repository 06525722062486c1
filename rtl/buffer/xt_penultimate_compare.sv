// SPDX-License-Identifier: Apache-2.0
//
// Finds whether the packet that leaves a queue is the queue's penultimate one. Three packets may leave, and three may be
// the penultimate. The selects arrive late, so all nine comparisons run in parallel and the selects choose among the
// results.
//
// Latency: combinational.
// Speed: block RAM clock-to-out, a choice of two, a comparison, an OR of nine. The timing model
// of synthesis takes a block RAM's output for as early as a register's. So synthesis of a large card maps this module
// apart.
`default_nettype none

module xt_penultimate_compare #(
  /// Bits of an address.
  parameter int AddrBits = 4
) (
  /// The leaving packet, if read from memory: the candidate linked to an empty queue ...
  input  logic [AddrBits-1:0] head_linked_i,
  /// ... and the candidate that came behind another packet (head_from_next).
  input  logic [AddrBits-1:0] head_next_i,
  /// The head is head_next_i.
  input  logic                head_from_next_i,
  /// The leaving packet, if the bypass holds the head since the last cycle.
  input  logic [AddrBits-1:0] bypass_i,
  /// The leaving packet, if the next head arrives in this cycle.
  input  logic [AddrBits-1:0] next_i,
  /// Source of the leaving packet: memory, bypass, or next head. One-hot; zero if no source counts.
  input  logic [         2:0] leaves_i,
  /// The last but one of the queue as of this cycle, of the last, of before.
  input  logic [AddrBits-1:0] now_i,
  /// As now_i.
  input  logic [AddrBits-1:0] last_i,
  /// As now_i.
  input  logic [AddrBits-1:0] before_i,
  /// The second packet is one of the three, one-hot, in the same order.
  input  logic [         2:0] second_i,
  /// Both are the same packet.
  output logic                same_o
);

  logic [AddrBits-1:0] read;
  logic [         8:0] same;

  assign read = head_from_next_i ? head_next_i : head_linked_i;
  assign same = {next_i == before_i, next_i == last_i, next_i == now_i,
                 bypass_i == before_i, bypass_i == last_i, bypass_i == now_i,
                 read == before_i, read == last_i, read == now_i};
  assign same_o = ({second_i & {3{leaves_i[2]}}, second_i & {3{leaves_i[1]}}, second_i & {3{leaves_i[0]}}} & same) != '0;

endmodule

`default_nettype wire
