// SPDX-License-Identifier: Apache-2.0
//
// What xt_voq_buffer knows of each queue besides its links: head, tail and number of packets, in LUT RAM, with
// "one or more" and "two or more" in registers. xt_queues_registers does the same without LUT RAM.
//
// The head of a queue was either linked to the empty queue or followed a packet that left; two memories, as
// both can happen in one cycle. from_follow_q says which one holds it.
//
// Latency: what enqueue_i, serve_i and follow_i change is seen from the next cycle on.
// Speed: a LUT RAM with a multiplexer, and a choice of two.
`default_nettype none

module xt_queues_ram #(
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of an address; fewer packets than addresses plus one are in all queues together.
  parameter int AddrBits = 4,
  /// Bits that are kept of a packet, its address on top.
  parameter int PacketBits = 8,
  /// Bits of a queue number.
  localparam int QueueBits = (Queues > 1) ? $clog2(Queues) : 1
) (
  /// Clock.
  input  logic                  clk_i,
  /// Reset, active low, synchronous.
  input  logic                  rst_ni,
  /// Initialisation: clear queue init_queue_i; must run through all of them.
  input  logic                  init_i,
  /// Initialisation: the queue.
  input  logic [ QueueBits-1:0] init_queue_i,

  /// Append a packet to a queue.
  input  logic                  enqueue_i,
  /// The queue, as a number.
  input  logic [ QueueBits-1:0] enqueue_queue_i,
  /// The queue, one-hot; zero without enqueue_i.
  input  logic [    Queues-1:0] enqueue_onehot_i,
  /// The packet.
  input  logic [PacketBits-1:0] enqueue_packet_i,
  /// The queue is empty, or becomes so by serve_i: the packet is its head.
  input  logic                  enqueue_empty_i,
  /// Address of the last packet of that queue.
  output logic [  AddrBits-1:0] tail_o,

  /// Take the head out of a queue, one-hot; zero for none.
  input  logic [    Queues-1:0] serve_i,
  /// The queue as a number.
  input  logic [ QueueBits-1:0] serve_queue_i,
  /// serve_i is not zero.
  input  logic                  serve_valid_i,
  /// Head of that queue, unless follow_i is about to bring it.
  output logic [PacketBits-1:0] head_o,

  /// A queue that was served in the last cycle and is not empty has this head now.
  input  logic                  follow_i,
  /// The queue, as a number.
  input  logic [ QueueBits-1:0] follow_queue_i,
  /// The queue, one-hot; zero without follow_i.
  input  logic [    Queues-1:0] follow_onehot_i,
  /// The head.
  input  logic [PacketBits-1:0] follow_packet_i,

  /// Queues that hold a packet.
  output logic [    Queues-1:0] nonempty_o,
  /// Queues that hold two packets at least.
  output logic [    Queues-1:0] several_o
);

  localparam int CountBits = AddrBits + 1;

  logic [    Queues-1:0] nonempty_q, several_q, from_follow_q, linked_onehot;
  logic [ CountBits-1:0] e_in_count, s_in_count, s_out_count, s_behind;
  logic [PacketBits-1:0] head_linked, head_followed;
  logic                  s_refill;

  assign s_behind      = s_in_count - s_out_count - 1'b1;
  assign s_refill      = (serve_i & several_q) != '0;
  assign linked_onehot = enqueue_empty_i ? enqueue_onehot_i : '0;

  logic [CountBits-1:0] unused_out_count;
  // Packets that went into and out of each queue, modulo more than can be in it.
  xt_ram_async #(
    .Width(CountBits),
    .Depth(Queues)
  ) i_in_count (
    .clk_i,
    .we_i     (init_i | enqueue_i),
    .waddr_i  (init_i ? init_queue_i : enqueue_queue_i),
    .wdata_i  (init_i ? '0 : e_in_count + 1'b1),
    .raddr_a_i(enqueue_queue_i),
    .rdata_a_o(e_in_count),
    .raddr_b_i(serve_queue_i),
    .rdata_b_o(s_in_count)
  );

  xt_ram_async #(
    .Width(CountBits),
    .Depth(Queues)
  ) i_out_count (
    .clk_i,
    .we_i     (init_i | serve_valid_i),
    .waddr_i  (init_i ? init_queue_i : serve_queue_i),
    .wdata_i  (init_i ? '0 : s_out_count + 1'b1),
    .raddr_a_i(enqueue_queue_i),
    .rdata_a_o(unused_out_count),
    .raddr_b_i(serve_queue_i),
    .rdata_b_o(s_out_count)
  );

  logic [AddrBits-1:0] unused_tail;
  xt_ram_async #(
    .Width(AddrBits),
    .Depth(Queues)
  ) i_tail (
    .clk_i,
    .we_i     (enqueue_i),
    .waddr_i  (enqueue_queue_i),
    .wdata_i  (enqueue_packet_i[PacketBits-1-:AddrBits]),
    .raddr_a_i(enqueue_queue_i),
    .rdata_a_o(tail_o),
    .raddr_b_i({QueueBits{1'b0}}),
    .rdata_b_o(unused_tail)
  );

  logic [PacketBits-1:0] unused_linked, unused_followed;
  xt_ram_async #(
    .Width(PacketBits),
    .Depth(Queues)
  ) i_head_linked (
    .clk_i,
    .we_i     (enqueue_i && enqueue_empty_i),
    .waddr_i  (enqueue_queue_i),
    .wdata_i  (enqueue_packet_i),
    .raddr_a_i(serve_queue_i),
    .rdata_a_o(head_linked),
    .raddr_b_i({QueueBits{1'b0}}),
    .rdata_b_o(unused_linked)
  );

  xt_ram_async #(
    .Width(PacketBits),
    .Depth(Queues)
  ) i_head_followed (
    .clk_i,
    .we_i     (follow_i),
    .waddr_i  (follow_queue_i),
    .wdata_i  (follow_packet_i),
    .raddr_a_i(serve_queue_i),
    .rdata_a_o(head_followed),
    .raddr_b_i({QueueBits{1'b0}}),
    .rdata_b_o(unused_followed)
  );

  assign head_o = from_follow_q[serve_queue_i] ? head_followed : head_linked;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      nonempty_q    <= '0;
      several_q     <= '0;
      from_follow_q <= '0;
    end else begin
      nonempty_q    <= (nonempty_q & ~(serve_i & ~several_q)) | enqueue_onehot_i;
      // For the queue that is served the counts tell.
      several_q     <= (serve_i & {Queues{s_behind >= CountBits'(2)}})
                     | (serve_i & enqueue_onehot_i & {Queues{s_refill}})
                     | (~serve_i & (several_q | (nonempty_q & enqueue_onehot_i)));
      from_follow_q <= (from_follow_q | follow_onehot_i) & ~linked_onehot;
    end
  end

  assign nonempty_o = nonempty_q;
  assign several_o  = several_q;

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      queues_know_what_follows : assert (!serve_valid_i || s_refill == (s_behind != '0));
    end
  end
`endif

endmodule

`default_nettype wire
