// SPDX-License-Identifier: Apache-2.0
//
// What xt_queues_ram does, cycle for cycle, in registers, for devices without LUT RAM: there a read costs a
// multiplexer over all queues, so each queue has one head, wherever it comes from, and one number of packets
// from which everything else is seen.
//
// Latency: what enqueue_i, serve_i and follow_i change is seen from the next cycle on.
// Speed: an AND-OR over all queues.
`default_nettype none

module xt_queues_registers #(
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of an address; fewer packets than addresses plus one are in all queues together.
  parameter int AddrBits = 4,
  /// Bits that are kept of a packet, its address on top.
  parameter int PacketBits = 8
) (
  /// Clock.
  input  logic                  clk_i,
  /// Reset, active low, synchronous.
  input  logic                  rst_ni,

  /// Append a packet to a queue, one-hot; zero for none.
  input  logic [    Queues-1:0] enqueue_onehot_i,
  /// The packet.
  input  logic [PacketBits-1:0] enqueue_packet_i,
  /// The queue is empty, or becomes so by serve_i: the packet is its head.
  input  logic                  enqueue_empty_i,
  /// Address of the last packet of that queue.
  output logic [  AddrBits-1:0] tail_o,

  /// Take the head out of a queue, one-hot; zero for none.
  input  logic [    Queues-1:0] serve_i,
  /// Head of that queue, unless follow_onehot_i is about to bring it.
  output logic [PacketBits-1:0] head_o,

  /// A queue that was served in the last cycle and is not empty has this head now, one-hot; zero for none.
  input  logic [    Queues-1:0] follow_onehot_i,
  /// The head.
  input  logic [PacketBits-1:0] follow_packet_i,

  /// Queues that hold a packet.
  output logic [    Queues-1:0] nonempty_o,
  /// Queues that hold two packets at least.
  output logic [    Queues-1:0] several_o
);

  localparam int CountBits = AddrBits + 1;

  logic [ Queues*CountBits-1:0] count_q;
  logic [  Queues*AddrBits-1:0] tail_q;
  logic [Queues*PacketBits-1:0] head_q;
  logic [           Queues-1:0] linked;

  assign linked = enqueue_empty_i ? enqueue_onehot_i : '0;

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    logic [CountBits-1:0] count;

    assign count         = count_q[q*CountBits+:CountBits];
    assign several_o[q]  = count[CountBits-1:1] != '0;
    assign nonempty_o[q] = count != '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q[q*CountBits+:CountBits] <= '0;
      else if (enqueue_onehot_i[q] != serve_i[q])
        count_q[q*CountBits+:CountBits] <= count + {{CountBits - 1{serve_i[q]}}, 1'b1};
      if (enqueue_onehot_i[q]) tail_q[q*AddrBits+:AddrBits] <= enqueue_packet_i[PacketBits-1-:AddrBits];
      // A packet that is linked to a queue which has just become empty is the head, whatever follow says.
      if (linked[q] || follow_onehot_i[q])
        head_q[q*PacketBits+:PacketBits] <= linked[q] ? enqueue_packet_i : follow_packet_i;
    end
  end

  always_comb begin
    tail_o = '0;
    head_o = '0;
    for (int q = 0; q < Queues; q++) begin
      if (enqueue_onehot_i[q]) tail_o = tail_o | tail_q[q*AddrBits+:AddrBits];
      if (serve_i[q]) head_o = head_o | head_q[q*PacketBits+:PacketBits];
    end
  end

`ifdef XT_ASSERT
  logic [Queues-1:0] overfull;
  always_comb begin
    for (int q = 0; q < Queues; q++)
      overfull[q] = enqueue_onehot_i[q] && !serve_i[q] && count_q[q*CountBits+AddrBits];
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      queues_serve_what_they_hold : assert ((serve_i & ~nonempty_o) == '0);
      queues_hold_what_fits : assert (overfull == '0);
    end
  end
`endif

endmodule

`default_nettype wire
