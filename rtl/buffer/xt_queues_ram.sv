// SPDX-License-Identifier: Apache-2.0
//
// Queue state of xt_voq_buffer: head, tail and penultimate packet of each queue in block RAM; the flags "one or more"
// and "two or more" (ge2) in registers. xt_queues_registers is the variant with head and tail in registers.
//
// A block RAM answers one cycle after the request, so:
// - The number of the next served queue (serve_next_i) addresses the heads. Two memories hold them, because both kinds of
//   head can change in one cycle. One memory has heads that were linked to an empty queue. The other has heads that came
//   behind a leaving packet. head_from_next_o tells one cycle ahead which memory holds a queue's head. A queue linked in
//   the very last cycle cannot be served yet. A head that came behind a packet in the last cycle takes the bypass.
// - The tail of a queue is known one cycle after a packet was appended; only then is the packet linked to the tail.
//   If the tail leaves in that very cycle, the appended packet takes the bypass.
// - After a service a queue still has two packets or more, unless its penultimate packet left. serve_next_i addresses the
//   penultimate packets as well, and a bypass holds the changes of the last two cycles. They are compared in the cycle after
//   the service. A queue is served in every second cycle at most, so ge2_o is right when it is served again.
//
// Latency: the changes by enqueue_i, serve_i and next_valid_i show from the next cycle on, that of ge2_o by a service one later.
// Speed: block RAM clock-to-out of a head, a choice of three.
`default_nettype none

module xt_queues_ram #(
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of a queue's number; numbers need not be consecutive.
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
  /// Head of that queue, unless next_valid_i brings the head. Order: bypass, head_from_next memory, linked memory.
  output logic [PacketBits-1:0] head_o,
  /// The head comes from the bypass.
  output logic                  bypass_o,
  /// Head in the bypass.
  output logic [PacketBits-1:0] head_bypass_o,
  /// Head that came behind another packet, just read.
  output logic [PacketBits-1:0] head_next_o,
  /// Head that was linked to the empty queue, just read.
  output logic [PacketBits-1:0] head_linked_o,
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

  /// Of queues that can be served in the next cycle: those whose head came behind another packet.
  output logic [    Queues-1:0] head_from_next_o,
  /// Queues that hold a packet.
  output logic [    Queues-1:0] nonempty_o,
  /// Queues that hold two packets at least; one that was served in the last cycle may be told too.
  output logic [    Queues-1:0] ge2_o
);

  logic [    Queues-1:0] nonempty_q, ge2_q, head_from_next_q;
  logic                  linked;

  assign linked = linked_onehot_i != '0;

  // ---------------------------------------------------------------- the packet behind each one
  logic                  link_q;  // link_packet_q is behind `tail`, in queue link_queue_q
  logic [ QueueBits-1:0] link_queue_q;
  logic [PacketBits-1:0] link_packet_q, linked_packet_q, next_read;
  logic [  AddrBits-1:0] tail;
  logic                  link_hit;

  xt_ram_1rw #(
    .Width(AddrBits),
    .Depth(2 ** QueueBits)
  ) i_tail (
    .clk_i,
    .addr_i (enqueue_queue_i),
    .we_i   (enqueue_i),
    .wdata_i(enqueue_packet_i[PacketBits-1-:AddrBits]),
    .rdata_o(tail)
  );

  xt_ram_1r1w #(
    .Width(PacketBits),
    .Depth(2 ** AddrBits)
  ) i_next (
    .clk_i,
    .we_i   (link_q),
    .waddr_i(tail),
    .wdata_i(link_packet_q),
    .raddr_i(serve_addr_i),
    .rdata_o(next_read)
  );

  assign next_packet_o = link_hit ? linked_packet_q : next_read;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) link_q <= 1'b0;
    else link_q <= enqueue_i & ~linked;
    link_queue_q    <= enqueue_queue_i;
    link_packet_q   <= enqueue_packet_i;
    linked_packet_q <= link_packet_q;
  end

  // ---------------------------------------------------------------- the last packet but one of each queue
  logic                linked_q;  // second_q is linked in queue linked_queue_q since the last cycle
  logic [QueueBits-1:0] linked_queue_q;
  logic [ AddrBits-1:0] second_q, second_read;

  xt_ram_1r1w #(
    .Width(AddrBits),
    .Depth(2 ** QueueBits)
  ) i_second (
    .clk_i,
    .we_i   (link_q),
    .waddr_i(link_queue_q),
    .wdata_i(tail),
    .raddr_i(serve_next_i),
    .rdata_o(second_read)
  );

  always_ff @(posedge clk_i) begin
    linked_q       <= link_q;
    linked_queue_q <= link_queue_q;
    second_q       <= tail;
  end

  // ---------------------------------------------------------------- heads
  logic [PacketBits-1:0] head_linked, head_next, bypass_packet_q;
  logic                  bypass_q;  // bypass_packet_q is the head of bypass_queue_q, since the last cycle
  logic [ QueueBits-1:0] bypass_queue_q;

  xt_ram_1r1w #(
    .Width(PacketBits),
    .Depth(2 ** QueueBits)
  ) i_head_linked (
    .clk_i,
    .we_i   (linked),
    .waddr_i(enqueue_queue_i),
    .wdata_i(enqueue_packet_i),
    .raddr_i(serve_next_i),
    .rdata_o(head_linked)
  );

  xt_ram_1r1w #(
    .Width(PacketBits),
    .Depth(2 ** QueueBits)
  ) i_head_next (
    .clk_i,
    .we_i   (next_valid_i),
    .waddr_i(next_queue_i),
    .wdata_i(next_packet_o),
    .raddr_i(serve_next_i),
    .rdata_o(head_next)
  );

  always_ff @(posedge clk_i) begin
    bypass_q        <= next_valid_i;
    bypass_queue_q  <= next_queue_i;
    bypass_packet_q <= next_packet_o;
  end

  logic at_link, at_linked, at_bypass;  // these belong to the served queue
  assign at_link   = link_q && link_queue_q == serve_queue_i;
  assign at_linked = linked_q && linked_queue_q == serve_queue_i;
  assign at_bypass = bypass_q && bypass_queue_q == serve_queue_i;

  logic [PacketBits-1:0] head_read;
  assign head_read     = serve_from_next_i ? head_next : head_linked;
  assign head_o        = at_bypass ? bypass_packet_q : head_read;
  assign bypass_o      = at_bypass;
  assign head_bypass_o = bypass_packet_q;
  assign head_next_o   = head_next;
  assign head_linked_o = head_linked;

  // The last service: the packet that left, the last but one of its queue then, and whether another was appended.
  logic [AddrBits-1:0] left_q, second_left_q;
  logic                appended_q;

  always_ff @(posedge clk_i) begin
    left_q        <= serve_addr_i;
    second_left_q <= at_link ? tail : at_linked ? second_q : second_read;
    appended_q    <= enqueue_i && enqueue_queue_i == serve_queue_i;
  end
  assign link_hit = linked_q && second_q == left_q;

  // ---------------------------------------------------------------- flags
  // The last but one left and nothing came: the queue has one packet.
  wire one_left = left_q == second_left_q && !appended_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      nonempty_q       <= '0;
      ge2_q            <= '0;
      head_from_next_q <= '0;
    end else begin
      nonempty_q       <= (nonempty_q & ~(serve_i & ~ge2_q)) | enqueue_onehot_i;
      ge2_q            <= (ge2_q & ~(one_left ? next_onehot_i : '0)) | (enqueue_onehot_i & ~linked_onehot_i);
      head_from_next_q <= head_from_next_o & ~linked_onehot_i;
    end
  end

  // A queue that is linked now cannot be served in the next cycle, so its memory does not matter yet.
  assign head_from_next_o = head_from_next_q | next_onehot_i;
  assign nonempty_o       = nonempty_q;
  assign ge2_o            = ge2_q;

`ifdef XT_ASSERT
  logic enqueued_q;
  logic [Queues-1:0] enqueued_empty_q;
  always_ff @(posedge clk_i) begin
    enqueued_q       <= rst_ni;
    enqueued_empty_q <= linked_onehot_i;
    if (rst_ni) begin
      queues_are_told_which_head : assert (serve_i == '0 || serve_from_next_i == ((serve_i & head_from_next_q) != '0));
      queues_serve_what_they_hold : assert ((serve_i & ~nonempty_q) == '0);
      queues_advance_what_they_served : assert ((next_onehot_i & ~nonempty_q) == '0);
      queues_do_not_serve_what_was_just_linked : assert (!enqueued_q || (serve_i & enqueued_empty_q) == '0);
    end
  end
`endif

endmodule

`default_nettype wire
