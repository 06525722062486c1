// SPDX-License-Identifier: Apache-2.0
//
// Queues of packets of xt_voq_buffer, by block RAM (xt_queues_ram) or by registers (xt_queues_registers), and whether the
// stream continues behind the first cell of a head just read.
//
// Latency: the changes by enqueue_i, serve_i and next_valid_i show from the next cycle on.
// Speed: that of xt_queues_ram, then xt_stream_continues.
`default_nettype none

module xt_packet_queues #(
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of a queue's number; numbers need not be consecutive.
  parameter int QueueBits = 2,
  /// Bits of an address.
  parameter int AddrBits = 4,
  /// Bits stored of a packet, the packet's address on top.
  parameter int PacketBits = 8,
  /// Lowest of the two marks among these bits; with BlockRamOnly there are none.
  parameter int MarkLsb = 0,
  /// 1: registers.
  parameter int BlockRamOnly = 0
) (
  /// Clock.
  input  logic                  clk_i,
  /// Reset, active low, synchronous.
  input  logic                  rst_ni,

  /// Append a packet to a queue.
  input  logic                  enqueue_i,
  /// The queue, as a number.
  input  logic [ QueueBits-1:0] enqueue_queue_i,
  /// The queue, one-hot; zero without enqueue_i.
  input  logic [    Queues-1:0] enqueue_onehot_i,
  /// The packet.
  input  logic [PacketBits-1:0] enqueue_packet_i,
  /// The queue if empty, or emptied by serve_i: the packet becomes the head; else zero.
  input  logic [    Queues-1:0] linked_onehot_i,

  /// If a queue is served in the next cycle, its number.
  input  logic [ QueueBits-1:0] serve_next_i,
  /// Take the head out of a queue, one-hot; zero for none.
  input  logic [    Queues-1:0] serve_i,
  /// The queue as a number.
  input  logic [ QueueBits-1:0] serve_queue_i,
  /// The queue was one of head_from_next_o in the last cycle.
  input  logic                  serve_from_next_i,
  /// Head of that queue, unless next_valid_i brings the head.
  output logic [PacketBits-1:0] head_o,
  /// Address of the head of that queue.
  input  logic [  AddrBits-1:0] serve_addr_i,

  /// A queue served in the last cycle is not empty: next_packet_o is its head.
  input  logic                  next_valid_i,
  /// The queue, as a number.
  input  logic [ QueueBits-1:0] next_queue_i,
  /// The queue, one-hot; zero without next_valid_i.
  input  logic [    Queues-1:0] next_onehot_i,
  /// The packet behind that of serve_addr_i in the last cycle.
  output logic [PacketBits-1:0] next_packet_o,

  /// The first cell of the head is read.
  input  logic                  first_i,
  /// Of the head, a further cell is still to come in the next cycle.
  input  logic                  open_i,
  /// The head has more than one cell (bit 0), more than two (bit 1).
  // verilator lint_off UNUSEDSIGNAL
  input  logic [           1:0] above_i,
  // verilator lint_on UNUSEDSIGNAL
  /// The stream of a packet under way continues; zero with first_i.
  input  logic                  further_on_i,
  /// The stream continues: in the cycle after the next no queue can be served. Arrives late.
  output logic                  busy_next_o,

  /// Of queues that can be served in the next cycle: those whose head came behind another packet.
  output logic [    Queues-1:0] head_from_next_o,
  /// Queues that hold a packet.
  output logic [    Queues-1:0] nonempty_o,
  /// Queues that hold two packets at least; one that was served in the last cycle may be told too.
  output logic [    Queues-1:0] ge2_o
);

  if (BlockRamOnly != 0) begin : g_registers
    xt_queues_registers #(
      .Queues    (Queues),
      .QueueBits (QueueBits),
      .AddrBits  (AddrBits),
      .PacketBits(PacketBits)
    ) i_queues (
      .clk_i, .rst_ni,
      .enqueue_onehot_i, .enqueue_queue_i, .enqueue_i, .enqueue_packet_i, .linked_onehot_i,
      .serve_i, .serve_queue_i, .head_o, .serve_addr_i, .next_onehot_i, .next_packet_o,
      .nonempty_o, .ge2_o
    );
    assign head_from_next_o = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused_next = ^{serve_next_i, serve_from_next_i, next_valid_i, next_queue_i};
    // verilator lint_on UNUSEDSIGNAL
    assign busy_next_o = first_i ? (open_i ? above_i[0] : above_i[1]) : further_on_i;
  end else begin : g_ram
    logic bypass;
    // Of these the marks are looked at.
    // verilator lint_off UNUSEDSIGNAL
    logic [PacketBits-1:0] head_bypass, head_next, head_linked;
    // verilator lint_on UNUSEDSIGNAL
    xt_queues_ram #(
      .Queues    (Queues),
      .QueueBits (QueueBits),
      .AddrBits  (AddrBits),
      .PacketBits(PacketBits)
    ) i_queues (
      .clk_i, .rst_ni,
      .enqueue_i, .enqueue_queue_i, .enqueue_onehot_i, .enqueue_packet_i, .linked_onehot_i,
      .serve_next_i, .serve_i, .serve_queue_i, .serve_from_next_i, .head_from_next_o, .head_o,
      .bypass_o     (bypass),
      .head_bypass_o(head_bypass),
      .head_next_o  (head_next),
      .head_linked_o(head_linked),
      .serve_addr_i, .next_valid_i, .next_queue_i, .next_onehot_i, .next_packet_o,
      .nonempty_o, .ge2_o
    );

    logic reads;
    assign reads = first_i & ~bypass;
    xt_stream_continues i_stream_continues (
      .linked_i      (reads & ~serve_from_next_i),
      .linked_marks_i(head_linked[MarkLsb+:2]),
      .next_i        (reads & serve_from_next_i),
      .next_marks_i  (head_next[MarkLsb+:2]),
      .early_marks_i (head_bypass[MarkLsb+:2] & {2{first_i & bypass}}),
      .open_i,
      .otherwise_i   (further_on_i),
      .continues_o   (busy_next_o)
    );
  end

endmodule

`default_nettype wire
