// SPDX-License-Identifier: Apache-2.0
//
// The packet that xt_voq_buffer enqueues: the one whose head was written in the last cycle, or the one taken out of its
// queue for a requeue, which waits here.
//
// Latency: a packet taken out can be enqueued from the second cycle on.
// Speed: the values of a packet are in registers; a choice between two.
`default_nettype none

module xt_enqueued_packet #(
  /// Number of cells; a power of two.
  parameter int Cells = 16,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Bits of an input VC number.
  parameter int VcBits = 1,
  /// Number of marks of a packet: 2 (more than one cell, more than two), or none.
  parameter int MarkBits = 2,
  /// Number of length classes.
  parameter int Classes = 1,
  /// Cells of each length class, 8 bits each, ascending from the low bits.
  parameter logic [Classes*8-1:0] LengthClass = 8'd4,
  /// 1: packets carry whether they enter a ring.
  parameter int Bubble = 0,
  /// Packets can be requeued.
  parameter int Requeue = 0,
  /// Bits stored with a packet for its requeue.
  parameter int EscapeBits = 1,
  /// Bits of a cell address.
  localparam int AddrBits = $clog2(Cells),
  /// Bits of a length class.
  localparam int ClassBits = (Classes > 1) ? $clog2(Classes) : 1,
  /// Bits of a packet: address, length, VC, marks, whether it enters a ring.
  localparam int PacketBits = AddrBits + LenBits + VcBits + MarkBits + Bubble
) (
  /// Clock.
  input  logic                  clk_i,
  /// Reset, active low, synchronous.
  input  logic                  rst_ni,

  /// The first cell of a packet is written.
  input  logic                  write_head_i,
  /// Length of the packet, minus one.
  input  logic [   LenBits-1:0] write_len_i,
  /// The VC that the packet came on.
  input  logic [    VcBits-1:0] write_vc_i,
  /// The packet enters a ring.
  input  logic                  write_enters_i,
  /// Address of the packet whose head was written in the last cycle.
  input  logic [  AddrBits-1:0] written_addr_i,

  /// A packet is enqueued.
  input  logic                  enqueue_i,
  /// The packet is the one under requeue.
  input  logic                  enqueue_requeued_i,
  /// Stored with a new packet for its requeue.
  input  logic [EscapeBits-1:0] enqueue_escape_i,
  /// The enqueued packet.
  output logic [PacketBits-1:0] packet_o,
  /// Its length class.
  output logic [ ClassBits-1:0] class_o,
  /// The packet is a single cell and enters no ring.
  output logic                  single_o,

  /// Take the served packet out of its queue for a requeue.
  input  logic                  requeue_i,
  /// The served packet.
  input  logic [PacketBits-1:0] serve_packet_i,
  /// A packet is out of its queue and waits for its requeue.
  output logic                  requeue_waits_o,
  /// The packet taken out must not be enqueued in the next cycle.
  input  logic                  requeue_not_next_i,
  /// The packet taken out waits and can be enqueued in this cycle.
  output logic                  requeue_turn_o,
  /// The escape stored with the packet; zero while the packet cannot be enqueued.
  output logic [EscapeBits-1:0] requeue_escape_o,
  /// The VC that the packet came on.
  output logic [    VcBits-1:0] requeue_vc_o
);

  localparam int MarkLsb = Bubble;
  localparam int VcLsb = MarkLsb + MarkBits;
  localparam int LenLsb = VcLsb + VcBits;

  // ---------------------------------------------------------------- requeue
  logic [PacketBits-1:0] requeue_packet;  // the packet that waits for its requeue

  if (Requeue != 0) begin : g_requeue
    logic                  waits_q;
    logic [PacketBits-1:0] packet_q;
    logic [EscapeBits-1:0] escape, escape_q;
    logic                  fresh_q;  // `escape` is that of the packet
    logic                  turn_d;

    xt_ram_1r1w #(
      .Width(EscapeBits),
      .Depth(Cells)
    ) i_escape (
      .clk_i,
      .we_i   (enqueue_i && !enqueue_requeued_i),
      .waddr_i(written_addr_i),
      .wdata_i(enqueue_escape_i),
      .raddr_i(serve_packet_i[PacketBits-1-:AddrBits]),
      .rdata_o(escape)
    );

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        waits_q          <= 1'b0;
        fresh_q          <= 1'b0;
        requeue_turn_o   <= 1'b0;
        requeue_escape_o <= '0;
      end else begin
        fresh_q <= requeue_i;
        if (requeue_i) waits_q <= 1'b1;
        else if (enqueue_requeued_i) waits_q <= 1'b0;
        requeue_turn_o   <= turn_d;
        requeue_escape_o <= turn_d ? (fresh_q ? escape : escape_q) : '0;
      end
      if (requeue_i) packet_q <= serve_packet_i;
      if (fresh_q) escape_q <= escape;
    end
    assign requeue_waits_o = waits_q & ~fresh_q;
    assign turn_d          = waits_q & ~enqueue_requeued_i & ~requeue_not_next_i;
    assign requeue_vc_o    = packet_q[VcLsb+:VcBits];
    assign requeue_packet  = packet_q;

`ifdef XT_ASSERT
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        voq_takes_one_out_at_a_time : assert (!(requeue_i && waits_q));
        voq_requeues_what_waits : assert (!enqueue_requeued_i || (enqueue_i && requeue_waits_o));
        voq_has_a_turn_when_it_waits : assert (!requeue_turn_o || requeue_waits_o);
      end
    end
`endif
  end else begin : g_no_requeue
    assign requeue_waits_o  = 1'b0;
    assign requeue_turn_o   = 1'b0;
    assign requeue_escape_o = '0;
    assign requeue_vc_o     = '0;
    assign requeue_packet   = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{rst_ni, enqueue_i, requeue_i, serve_packet_i, requeue_not_next_i, enqueue_escape_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  // ---------------------------------------------------------------- new packet
  logic [LenBits-1:0] new_len_q;  // length of the head written last
  logic [ VcBits-1:0] new_vc_q;
  logic               new_enters_q;

  always_ff @(posedge clk_i) begin
    if (write_head_i) begin
      new_len_q    <= write_len_i;
      new_vc_q     <= write_vc_i;
      new_enters_q <= write_enters_i;
    end
  end

  logic [PacketBits-1:0] new_packet;
  assign new_packet[PacketBits-1:VcLsb] = {written_addr_i, new_len_q, new_vc_q};
  if (MarkBits != 0) begin : g_new_marks
    logic new_above_one_q, new_above_two_q;
    always_ff @(posedge clk_i) begin
      if (write_head_i) begin
        new_above_one_q <= write_len_i != '0;
        new_above_two_q <= write_len_i > LenBits'(1);
      end
    end
    assign new_packet[MarkLsb+:2] = {new_above_two_q, new_above_one_q};
  end
  if (Bubble != 0) begin : g_bubble
    assign new_packet[0] = new_enters_q;
  end else begin : g_no_bubble
    // verilator lint_off UNUSEDSIGNAL
    wire unused = new_enters_q;
    // verilator lint_on UNUSEDSIGNAL
  end
  assign packet_o = enqueue_requeued_i ? requeue_packet : new_packet;

  // ---------------------------------------------------------------- class
  // The values of the enqueued packet are found in the cycle before, while the packet is written or waits here.
  logic [ClassBits-1:0] new_class, requeue_class, new_class_q, requeue_class_q;
  logic                 new_single_q, requeue_single_q;
  logic [  LenBits-1:0] requeue_len;
  logic                 requeue_enters;

  assign requeue_len    = requeue_packet[LenLsb+:LenBits];
  assign requeue_enters = Bubble != 0 && requeue_packet[0];

  xt_length_class #(
    .LenBits    (LenBits),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Bubble     (Bubble)
  ) i_new_class (
    .len_i   (write_len_i),
    .enters_i(write_enters_i),
    .class_o (new_class)
  );
  xt_length_class #(
    .LenBits    (LenBits),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Bubble     (Bubble)
  ) i_requeue_class (
    .len_i   (requeue_len),
    .enters_i(requeue_enters),
    .class_o (requeue_class)
  );

  always_ff @(posedge clk_i) begin
    new_class_q      <= new_class;
    new_single_q     <= write_len_i == '0 && !(Bubble != 0 && write_enters_i);
    requeue_class_q  <= requeue_class;
    requeue_single_q <= requeue_len == '0 && !requeue_enters;
  end
  assign class_o  = enqueue_requeued_i ? requeue_class_q : new_class_q;
  assign single_o = enqueue_requeued_i ? requeue_single_q : new_single_q;

endmodule

`default_nettype wire
