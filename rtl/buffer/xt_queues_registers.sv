// SPDX-License-Identifier: Apache-2.0
//
// Variant of xt_queues_ram, cycle for cycle, with head and tail in registers, for devices with few block RAMs. A queue
// has one head register. A queue holds two packets or more if its head is not its tail. A served queue learns its new
// head one cycle later, and with the head the flag ge2.
//
// Latency: the changes by enqueue_i, serve_i and next_valid_i show from the next cycle on.
// Speed: an AND-OR over all queues; ge2_o is behind a comparison of next_packet_o.
// Why its processes are always @*: rtl/README.md.
`default_nettype none

module xt_queues_registers #(
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of a queue's number.
  parameter int QueueBits = 2,
  /// Bits of an address.
  parameter int AddrBits = 4,
  /// Bits stored of a packet, the packet's address on top.
  parameter int PacketBits = 8
) (
  /// Clock.
  input  logic                  clk_i,
  /// Reset, active low, synchronous.
  input  logic                  rst_ni,

  /// Append a packet to a queue, one-hot; zero for none.
  input  logic [    Queues-1:0] enqueue_onehot_i,
  /// The queue, as a number.
  input  logic [ QueueBits-1:0] enqueue_queue_i,
  /// enqueue_onehot_i is not zero.
  input  logic                  enqueue_i,
  /// The packet.
  input  logic [PacketBits-1:0] enqueue_packet_i,
  /// The queue if empty, or emptied by serve_i: the packet becomes the head; else zero.
  input  logic [    Queues-1:0] linked_onehot_i,

  /// Take the head out of a queue, one-hot; zero for none.
  input  logic [    Queues-1:0] serve_i,
  /// The queue, as a number.
  input  logic [ QueueBits-1:0] serve_queue_i,
  /// Head of that queue, unless next_onehot_i brings the head.
  output logic [PacketBits-1:0] head_o,
  /// Address of the head of that queue.
  input  logic [  AddrBits-1:0] serve_addr_i,

  /// One-hot: a queue served in the last cycle that is not empty; next_packet_o is its head. Zero for none.
  input  logic [    Queues-1:0] next_onehot_i,
  /// The packet behind that of serve_addr_i in the last cycle.
  output logic [PacketBits-1:0] next_packet_o,

  /// Queues that hold a packet.
  output logic [    Queues-1:0] nonempty_o,
  /// Queues that hold two packets at least; one that was served in the last cycle may be told too.
  output logic [    Queues-1:0] ge2_o
);

  logic [  Queues*AddrBits-1:0] tail_q;
  logic [Queues*PacketBits-1:0] head_q;
  logic [           Queues-1:0] nonempty_q, ge2_q;
  logic [         AddrBits-1:0] tail;  // of the queue a packet is appended to
  logic [         AddrBits-1:0] served_tail, served_tail_q;  // tail of the served queue; of the one before
  logic                         grows_q;  // that queue got a packet meanwhile
  logic                         two;  // the served queue has two packets or more

  xt_ram_1r1w #(
    .Width(PacketBits),
    .Depth(2 ** AddrBits)
  ) i_next (
    .clk_i,
    .we_i   (enqueue_i && linked_onehot_i == '0),
    .waddr_i(tail),
    .wdata_i(enqueue_packet_i),
    .raddr_i(serve_addr_i),
    .rdata_o(next_packet_o)
  );

  assign two = grows_q || next_packet_o[PacketBits-1-:AddrBits] != served_tail_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      nonempty_q <= '0;
      ge2_q      <= '0;
    end else begin
      nonempty_q <= (nonempty_q & ~(serve_i & ~ge2_q)) | enqueue_onehot_i;
      // The served queue learns its head from next_packet_o in the next cycle.
      ge2_q      <= (ge2_q & ~(two ? '0 : next_onehot_i)) | (enqueue_onehot_i & ~linked_onehot_i);
    end
    served_tail_q <= served_tail;
    grows_q       <= enqueue_i && enqueue_queue_i == serve_queue_i;
    for (int q = 0; q < Queues; q++) begin
      if (enqueue_onehot_i[q]) tail_q[q*AddrBits+:AddrBits] <= enqueue_packet_i[PacketBits-1-:AddrBits];
      // A packet linked to a queue that has just become empty is the head, whatever `follow` holds.
      if (linked_onehot_i[q] || next_onehot_i[q])
        head_q[q*PacketBits+:PacketBits] <= linked_onehot_i[q] ? enqueue_packet_i : next_packet_o;
    end
  end

  assign nonempty_o = nonempty_q;
  assign ge2_o      = ge2_q;

  always @* begin
    tail        = '0;
    head_o      = '0;
    served_tail = '0;
    for (int q = 0; q < Queues; q++) begin
      if (enqueue_onehot_i[q]) tail = tail | tail_q[q*AddrBits+:AddrBits];
      if (serve_i[q]) served_tail = served_tail | tail_q[q*AddrBits+:AddrBits];
      if (serve_i[q]) head_o = head_o | head_q[q*PacketBits+:PacketBits];
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      queues_serve_what_they_hold : assert ((serve_i & ~nonempty_o) == '0);
      queues_advance_what_they_served : assert ((next_onehot_i & ~nonempty_o) == '0);
    end
  end
`endif

endmodule

`default_nettype wire
