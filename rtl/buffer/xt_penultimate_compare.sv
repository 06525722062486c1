// SPDX-License-Identifier: Apache-2.0
//
// Whether the packet that leaves a queue is its last but one: a comparison of each packet that it may be with each that the
// last but one may be. Which of them it is comes as late as they do, so it chooses among the results.
//
// Latency: combinational. Speed: block RAM clock-to-out, a choice of two, a comparison, an OR of nine. Synthesis takes a
// block RAM's output for as early as a register's, so for a large card it maps this module apart.
`default_nettype none

module xt_penultimate_compare #(
  /// Bits of an address.
  parameter int AddrBits = 4
) (
  /// The packet that leaves, if it was read: the one that was linked to its queue.
  input  logic [AddrBits-1:0] head_linked_i,
  /// ... the one that followed another.
  input  logic [AddrBits-1:0] head_next_i,
  /// The head is head_next_i.
  input  logic                head_from_next_i,
  /// If it followed in the last cycle.
  input  logic [AddrBits-1:0] bypass_i,
  /// If it follows in this cycle.
  input  logic [AddrBits-1:0] next_i,
  /// The leaving packet: the read one, the kept one, or the next one. One-hot; zero if none counts.
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
