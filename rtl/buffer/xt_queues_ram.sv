// SPDX-License-Identifier: Apache-2.0
//
// What xt_voq_buffer knows of each queue: head and tail, and which packet follows each one, in block RAM; "one or
// more" and "two or more" in registers. xt_queues_registers keeps head and tail in registers too.
//
// Nothing in block RAM is known in the cycle in which it is asked for, so
// - heads are read by the queue that will be served (serve_next_i). The head of a queue was either linked to the
//   empty queue or followed a packet that left; two memories, as both can happen in one cycle. head_from_next_o says
//   which one holds it, a cycle ahead: who serves looks it up while it chooses. What was linked in the very last cycle
//   cannot be served yet; what followed in it is kept aside.
// - the tail of a queue is known one cycle after a packet was appended to it; only then is the packet linked to it.
//   If the tail leaves in that very cycle, the packet that follows it is kept aside.
// - a queue has two packets or more after one has left unless that was the last but one: this one too is read
//   by the queue that will be served, and what the last two cycles change is kept aside.
//
// Latency: what enqueue_i, serve_i and next_valid_i change is seen from the next cycle on.
// Speed: block RAM clock-to-out of both a head and a last packet but one, and xt_penultimate_compare. To head_o a choice of three.
`default_nettype none

module xt_queues_ram #(
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of a queue's number; numbers need not be consecutive.
  parameter int QueueBits = 2,
  /// Bits of an address.
  parameter int AddrBits = 4,
  /// Bits that are kept of a packet, its address on top.
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
  /// The queue if it is empty, or becomes so by serve_i: the packet is its head; else zero.
  input  logic [    Queues-1:0] linked_onehot_i,

  /// If a queue is served in the next cycle, its number.
  input  logic [ QueueBits-1:0] serve_next_i,
  /// Take the head out of a queue, one-hot; zero for none.
  input  logic [    Queues-1:0] serve_i,
  /// The queue as a number.
  input  logic [ QueueBits-1:0] serve_queue_i,
  /// The queue was one of head_from_next_o in the last cycle.
  input  logic                  serve_from_next_i,
  /// Head of that queue, unless next_valid_i is about to bring it: the kept one, else the one that followed, else the linked one.
  output logic [PacketBits-1:0] head_o,
  /// The head is the kept one.
  output logic                  bypass_o,
  /// The kept one.
  output logic [PacketBits-1:0] head_bypass_o,
  /// The one that followed, just read.
  output logic [PacketBits-1:0] head_next_o,
  /// The one that was linked, just read.
  output logic [PacketBits-1:0] head_linked_o,
  /// Address of the head of that queue.
  input  logic [  AddrBits-1:0] serve_addr_i,

  /// A queue that was served in the last cycle and is not empty has next_packet_o as its head now.
  input  logic                  next_valid_i,
  /// The queue, as a number.
  input  logic [ QueueBits-1:0] next_queue_i,
  /// The queue, one-hot; zero without next_valid_i.
  input  logic [    Queues-1:0] next_onehot_i,
  /// The packet behind that of serve_addr_i in the last cycle.
  output logic [PacketBits-1:0] next_packet_o,

  /// Queues whose head, in the next cycle, is one that followed another.
  output logic [    Queues-1:0] head_from_next_o,
  /// Queues that hold a packet.
  output logic [    Queues-1:0] nonempty_o,
  /// Queues that hold two packets at least.
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
  logic                  link_hits, link_hit_q;

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

  assign link_hits     = tail == serve_addr_i;
  assign next_packet_o = link_hit_q ? linked_packet_q : next_read;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) link_q <= 1'b0;
    else link_q <= enqueue_i & ~linked;
    link_queue_q    <= enqueue_queue_i;
    link_packet_q   <= enqueue_packet_i;
    linked_packet_q <= link_packet_q;
    link_hit_q      <= link_q & link_hits;
  end

  // ---------------------------------------------------------------- the last packet but one of each queue
  logic                linked_q;  // it is second_q in queue linked_queue_q, since the last cycle
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

  logic at_link, at_linked, at_next, at_bypass;  // these are of the queue that is served
  assign at_link   = link_q && link_queue_q == serve_queue_i;
  assign at_linked = linked_q && linked_queue_q == serve_queue_i;
  assign at_next   = next_valid_i && next_queue_i == serve_queue_i;
  assign at_bypass = bypass_q && bypass_queue_q == serve_queue_i;

  logic [PacketBits-1:0] head_read;
  assign head_read     = serve_from_next_i ? head_next : head_linked;
  assign head_o        = at_bypass ? bypass_packet_q : head_read;
  assign bypass_o      = at_bypass;
  assign head_bypass_o = bypass_packet_q;
  assign head_next_o   = head_next;
  assign head_linked_o = head_linked;

  logic [2:0] leaves, second;  // as xt_penultimate_compare has them
  logic       appended;  // to the queue that is served
  logic       two_left_d, two_left_q;  // the last but one left in this cycle, in the last, and none was appended behind it
  assign appended = enqueue_i && enqueue_queue_i == serve_queue_i;
  assign leaves   = appended ? '0 : {at_next, ~at_next & at_bypass, ~at_next & ~at_bypass};
  assign second   = {~at_link & ~at_linked, ~at_link & at_linked, at_link};

  xt_penultimate_compare #(
    .AddrBits(AddrBits)
  ) i_penultimate_compare (
    .head_linked_i   (head_linked[PacketBits-1-:AddrBits]),
    .head_next_i     (head_next[PacketBits-1-:AddrBits]),
    .head_from_next_i(serve_from_next_i),
    .bypass_i        (bypass_packet_q[PacketBits-1-:AddrBits]),
    .next_i          (next_packet_o[PacketBits-1-:AddrBits]),
    .leaves_i        (leaves),
    .now_i           (tail),
    .last_i          (second_q),
    .before_i        (second_read),
    .second_i        (second),
    .same_o          (two_left_d)
  );

  // ---------------------------------------------------------------- flags
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      nonempty_q       <= '0;
      ge2_q            <= '0;
      two_left_q       <= 1'b0;
      head_from_next_q <= '0;
    end else begin
      nonempty_q       <= (nonempty_q & ~(serve_i & ~ge2_o)) | enqueue_onehot_i;
      ge2_q            <= ge2_o | (enqueue_onehot_i & ~linked_onehot_i);
      two_left_q       <= two_left_d;
      head_from_next_q <= head_from_next_o;
    end
  end

  assign head_from_next_o = (head_from_next_q | next_onehot_i) & ~linked_onehot_i;
  assign nonempty_o       = nonempty_q;
  // next_onehot_i is the queue that two_left_q is about: it is late as it is, and would have to reach all flags.
  assign ge2_o            = ge2_q & ~(next_onehot_i & {Queues{two_left_q}});

`ifdef XT_ASSERT
  logic enqueued_q;
  logic [Queues-1:0] enqueued_empty_q;
  always_ff @(posedge clk_i) begin
    enqueued_q       <= rst_ni;
    enqueued_empty_q <= linked_onehot_i;
    if (rst_ni) begin
      queues_know_the_penultimate : assert (serve_i == '0
          || two_left_d == (!appended && (at_link ? tail : at_linked ? second_q : second_read) == serve_addr_i));
      queues_are_told_which_head : assert (serve_i == '0 || serve_from_next_i == ((serve_i & head_from_next_q) != '0));
      queues_serve_what_they_hold : assert ((serve_i & ~nonempty_q) == '0);
      queues_advance_what_they_served : assert ((next_onehot_i & ~nonempty_q) == '0);
      queues_do_not_serve_what_was_just_linked : assert (!enqueued_q || (serve_i & enqueued_empty_q) == '0);
    end
  end
`endif

endmodule

`default_nettype wire
