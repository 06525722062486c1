// SPDX-License-Identifier: Apache-2.0
//
// Shared multi-queue buffer of one input: one cell memory that holds one linked list of packets per
// virtual output queue (VOQ). A queue holds packets for one (output, VC). So all packets of a queue wait for the
// same output and VC, and none blocks a packet for another output.
//
// `follow` links the packets of a queue, and also holds length and input VC of the packet: a block RAM, written once per
// packet and read once. Head and tail of each queue are in block RAM or registers (xt_packet_queues). The cells of a
// packet are linked (xt_cell_store_linked) or in a slot (xt_cell_store_slotted). Registers hold the state that the
// scheduler reads in every cycle: "one or more", "two or more" (ge2), and that of xt_queue_flags.
//
// Pipeline, for a head cell that is at the input in cycle 0:
//   0  cell memory written at the free list's head
//   1  enqueue_i: the packet is linked to its queue; nonempty_o and class_o show the packet in the same cycle
//   2  switch allocator, outside
//   3  serve_i (stage S): the head leaves its queue, and gives its cell's address
//   4  cell_valid_o (stage X), cell memory read   5  the cell
// Each cycle takes one enqueue and one service, also of the same queue. A queue is served in every second cycle at most,
// because its next head is read in the cycle after a service.
//
// A packet may be served while its cells still arrive, with gaps; the stream then waits for the cells.
//
// Requeue (requeue_i) takes a packet out of its queue and enqueues the packet elsewhere; its cells stay in place.
//
// Latency: 4 cycles from the head cell at the input to cell_valid_o.
// Speed: `follow` or the cells' chain clock-to-out, two multiplexers, address of the next read. For a head,
// xt_stream_continues.
//
// Invariants: free list and packets partition the memory. No cell is lost, duplicated or moved between queues.
// nonempty_o is exact. tests/rtl/proofs checks them for a bounded number of cycles, tests/rtl/switch in
// long random runs.
`default_nettype none

module xt_voq_buffer #(
  /// Bits of a cell.
  parameter int CellBits = 32,
  /// Number of cells; a power of two.
  parameter int Cells = 16,
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of a queue's number; numbers need not be consecutive.
  parameter int QueueBits = 2,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Bits of an input VC number.
  parameter int VcBits = 1,
  /// Number of length classes of the credit check.
  parameter int Classes = 1,
  /// Cells of each length class, 8 bits each, ascending from the low bits.
  parameter logic [Classes*8-1:0] LengthClass = 8'd4,
  /// Packets that enter a ring are of the last class, whatever their length.
  parameter int Bubble = 0,
  /// Number of outputs.
  parameter int Outputs = 2,
  /// Packets can be requeued.
  parameter int Requeue = 0,
  /// Bits stored with a packet for its requeue.
  parameter int EscapeBits = 1,
  /// 1: fewer block RAMs, and a slot per packet instead of chains of cells; the same in every cycle.
  parameter int BlockRamOnly = 0,
  /// Bits of a cell address.
  localparam int AddrBits = $clog2(Cells),
  /// Bits of a length class.
  localparam int ClassBits = (Classes > 1) ? $clog2(Classes) : 1
) (
  /// Clock.
  input  logic                        clk_i,
  /// Reset, active low, synchronous.
  input  logic                        rst_ni,
  /// Initialisation: clear queue and free cell init_addr_i; must run through all of both.
  input  logic                        init_i,
  /// Initialisation: the queue and cell.
  input  logic [                15:0] init_addr_i,

  /// A cell arrives.
  input  logic                        write_i,
  /// The written cell is the first of its packet.
  input  logic                        write_head_i,
  /// The written cell is the last of its packet.
  input  logic                        write_last_i,
  /// The cell.
  input  logic [        CellBits-1:0] write_cell_i,
  /// With the head: length of its packet, minus one.
  input  logic [         LenBits-1:0] write_len_i,
  /// With the head: the VC that the packet came on.
  input  logic [          VcBits-1:0] write_vc_i,
  /// With the head: the packet enters a ring.
  input  logic                        write_enters_i,

  /// Enqueue the packet whose head was written in the previous cycle, or the one taken out before.
  input  logic                        enqueue_i,
  /// Queue of the packet, as a number.
  input  logic [       QueueBits-1:0] enqueue_queue_i,
  /// Queue of the packet, one-hot; zero without enqueue_i.
  input  logic [          Queues-1:0] enqueue_onehot_i,
  /// Stored with the packet for its requeue.
  input  logic [      EscapeBits-1:0] enqueue_escape_i,
  /// The packet is the one under requeue, with the length, VC and address stored here.
  input  logic                        enqueue_requeued_i,

  /// Queues that hold a packet when this cycle is over.
  output logic [          Queues-1:0] nonempty_o,
  /// Length class of the head of each queue, at least; bit b of queue q is at b*Queues + q.
  output logic [ClassBits*Queues-1:0] class_o,
  /// Queues whose head has one cell, for certain.
  output logic [          Queues-1:0] short_o,
  /// The same of the next cycle, as far as known.
  output logic [          Queues-1:0] short_next_o,
  /// Of queues that can be served in the next cycle: those whose head came behind another packet.
  output logic [          Queues-1:0] head_from_next_o,
  /// The stream continues: in the cycle after the next no queue can be served. Arrives late.
  output logic                        busy_next_o,

  /// If a queue is served in the next cycle, its number.
  input  logic [       QueueBits-1:0] serve_next_i,
  /// Serve the head of a queue: one-hot, zero for none.
  input  logic [          Queues-1:0] serve_i,
  /// The same queue as a number.
  input  logic [       QueueBits-1:0] serve_queue_i,
  /// The queue was one of head_from_next_o in the last cycle.
  input  logic                        serve_from_next_i,
  /// serve_i is not zero.
  input  logic                        serve_valid_i,
  /// Output of the packet, one-hot; zero drops the packet. Held until the next packet is served.
  input  logic [         Outputs-1:0] serve_output_i,
  /// VC that the packet leaves on. Held until the next packet is served.
  input  logic [          VcBits-1:0] serve_vc_i,
  /// The cells of the packet leave.
  input  logic                        serve_first_i,
  /// Requeue: take the packet out of its queue in place of a service.
  input  logic                        requeue_i,
  /// A packet is out of its queue and waits for its requeue.
  output logic                        requeue_waits_o,
  /// The packet taken out must not be enqueued in the next cycle.
  input  logic                        requeue_not_next_i,
  /// The packet taken out waits and can be enqueued in this cycle.
  output logic                        requeue_turn_o,
  /// The escape stored with the packet; zero while the packet cannot be enqueued.
  output logic [      EscapeBits-1:0] requeue_escape_o,
  /// The VC that the packet came on.
  output logic [          VcBits-1:0] requeue_vc_o,

  /// A cell leaves.
  output logic                        cell_valid_o,
  /// The cell is the first of its packet.
  output logic                        cell_first_o,
  /// The cell, one cycle later.
  output logic [        CellBits-1:0] cell_o,
  /// The VC that the packet came on.
  output logic [          VcBits-1:0] cell_vc_o,
  /// Length of its packet, minus one; valid with the first cell.
  output logic [         LenBits-1:0] cell_len_o,
  /// Output of the cell, one-hot; zero if the cell is dropped, and without a cell.
  output logic [         Outputs-1:0] cell_output_o,
  /// VC that the cell leaves on.
  output logic [          VcBits-1:0] cell_out_vc_o,
  /// Number of free cells.
  output logic [          AddrBits:0] free_o,
  /// Something is in flight inside.
  output logic                        active_o
);

  if (Cells != (32'd1 << AddrBits)) begin : g_illegal_cells
    xt_voq_buffer_cells_must_be_a_power_of_two i_illegal ();
  end

  // The list of packets holds of each packet: address, length, VC, two marks (more than one cell, more than two), and
  // whether the packet enters a ring. The length tells both marks too, but later. A list in registers would spend more
  // registers on marks.
  localparam int MarkBits = (BlockRamOnly != 0) ? 0 : 2;
  localparam int PacketBits = AddrBits + LenBits + VcBits + MarkBits + Bubble;
  localparam int MarkLsb = Bubble;
  localparam int VcLsb = MarkLsb + MarkBits;
  localparam int LenLsb = VcLsb + VcBits;

  // ---------------------------------------------------------------- stream state
  logic                 s_first;  // the first cell of a packet is read
  logic                 s_more_q;  // a further cell of a packet is read
  logic                 s_last_q;  // ... its last
  logic                 s_more_d, s_last_d;
  logic [  LenBits-1:0] s_left_q;  // cells left, this one included (s_more_q)
  logic [   VcBits-1:0] s_vc_q;

  // Whether it enters a ring no longer matters when it is served.
  // verilator lint_off UNUSEDSIGNAL
  logic [PacketBits-1:0] s_packet;
  // verilator lint_on UNUSEDSIGNAL
  logic [AddrBits-1:0]   s_head_addr;
  logic [ LenBits-1:0]   s_len;
  logic [  VcBits-1:0]   s_vc;
  logic                  s_wait, s_read;
  logic                  s_above_one, s_above_two;  // the packet has more than one cell, more than two (s_first)
  logic                  further_more, further_last, further_on;  // s_more_d, s_last_d, busy_next_o of a further cell

  assign s_first = serve_first_i;

  // ---------------------------------------------------------------- cells
  logic                written;  // a cell was written in the last cycle
  logic [AddrBits-1:0] written_addr;  // the address of the packet, or of the cell
  logic                arriving;  // a packet has begun to arrive and is not complete
  logic [AddrBits-1:0] arriving_addr;
  logic                s_arrives;  // an arriving cell belongs to the served packet
  logic                first_open, further_open;  // the packet under read may be incomplete in the next cycle
  logic                init_cell;
  assign init_cell = init_i && init_addr_i >> AddrBits == '0;

  if (BlockRamOnly != 0) begin : g_slotted
    xt_cell_store_slotted #(
      .CellBits(CellBits),
      .Cells   (Cells),
      .LenBits (LenBits)
    ) i_cells (
      .clk_i,
      .rst_ni,
      .init_i        (init_cell),
      .init_addr_i   (init_addr_i[AddrBits-1:0]),
      .write_i,
      .write_last_i,
      .write_cell_i,
      .written_o     (written),
      .written_addr_o(written_addr),
      .packet_i      (s_head_addr),
      .first_i       (s_first),
      .more_i        (s_more_q),
      .first_arrives_i(s_arrives),
      .arriving_o    (arriving),
      .arriving_addr_o(arriving_addr),
      .last_i        (s_first ? s_len == '0 : s_last_q),
      .wait_o        (s_wait),
      .open_further_o(further_open),
      .cell_o,
      .free_o
    );
    // verilator lint_off UNUSEDSIGNAL
    wire unused = write_head_i;
    // verilator lint_on UNUSEDSIGNAL
  end else begin : g_linked
    xt_cell_store_linked #(
      .CellBits(CellBits),
      .Cells   (Cells),
      .LenBits (LenBits)
    ) i_cells (
      .clk_i,
      .rst_ni,
      .init_i        (init_cell),
      .init_addr_i   (init_addr_i[AddrBits-1:0]),
      .write_i,
      .write_head_i,
      .write_last_i,
      .write_cell_i,
      .written_o     (written),
      .written_addr_o(written_addr),
      .packet_i      (s_head_addr),
      .choose_i      (serve_valid_i),
      .first_i       (s_first),
      .more_i        (s_more_q),
      .first_arrives_i(s_arrives),
      .arriving_o    (arriving),
      .arriving_addr_o(arriving_addr),
      .wait_o        (s_wait),
      .open_further_o(further_open),
      .cell_o,
      .free_o
    );
  end

  // ---------------------------------------------------------------- queues of packets
  logic [PacketBits-1:0] e_packet;

  logic                  f_valid_q;  // `follow` shows the new head of f_queue_q
  logic [ QueueBits-1:0] f_queue_q;
  logic [    Queues-1:0] f_onehot_q;  // zero unless f_valid_q
  // Its VC and marks go to the queues only.
  // verilator lint_off UNUSEDSIGNAL
  logic [PacketBits-1:0] next_packet;
  // verilator lint_on UNUSEDSIGNAL

  logic [     Queues-1:0] nonempty, ge2;
  logic [     Queues-1:0] stays;  // queues with a packet that this cycle does not serve
  logic [     Queues-1:0] linked;  // queues that get a packet as head

  logic                  s_refill;

  // Each queue by itself: one bit per queue decides, so no path leads through an OR of all queues.
  assign stays    = nonempty & (~serve_i | ge2);
  assign linked   = enqueue_onehot_i & ~stays;
  assign s_refill = (serve_i & ge2) != '0;

  xt_packet_queues #(
    .Queues      (Queues),
    .QueueBits   (QueueBits),
    .AddrBits    (AddrBits),
    .PacketBits  (PacketBits),
    .MarkLsb     (MarkLsb),
    .BlockRamOnly(BlockRamOnly)
  ) i_queues (
    .clk_i, .rst_ni,
    .enqueue_i, .enqueue_queue_i, .enqueue_onehot_i,
    .enqueue_packet_i(e_packet),
    .linked_onehot_i (linked),
    .serve_next_i, .serve_i, .serve_queue_i, .serve_from_next_i,
    .head_o          (s_packet),
    .serve_addr_i    (s_head_addr),
    .next_valid_i    (f_valid_q),
    .next_queue_i    (f_queue_q),
    .next_onehot_i   (f_onehot_q),
    .next_packet_o   (next_packet),
    .first_i         (s_first),
    .open_i          (first_open),
    .above_i         ({s_above_two, s_above_one}),
    .further_on_i    (further_on),
    .busy_next_o,
    .head_from_next_o,
    .nonempty_o      (nonempty),
    .ge2_o           (ge2)
  );

  // The packet behind a served one is read in the cycle after.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_valid_q  <= 1'b0;
      f_onehot_q <= '0;
    end else begin
      f_valid_q  <= serve_valid_i & s_refill;
      f_onehot_q <= serve_i & ge2;
    end
    f_queue_q <= serve_queue_i;
  end

  // ---------------------------------------------------------------- stage S
  assign s_head_addr = s_packet[PacketBits-1-:AddrBits];
  assign s_len       = s_packet[LenLsb+:LenBits];
  assign s_vc        = s_packet[VcLsb+:VcBits];

  assign s_read = s_first | (s_more_q & ~s_wait);

  if (MarkBits != 0) begin : g_marked
    assign {s_above_two, s_above_one} = s_packet[MarkLsb+:2];
  end else begin : g_measured
    assign s_above_one = s_packet[LenLsb+:LenBits] != '0;
    assign s_above_two = s_packet[LenLsb+:LenBits] > LenBits'(1);
  end

  // The head's marks arrive late, so they enter last.
  assign further_more = s_more_q & (s_wait | ~s_last_q);
  assign further_last = s_wait ? s_last_q : s_left_q == LenBits'(2);
  assign s_more_d     = s_first ? s_above_one : further_more;
  assign s_last_d     = s_first ? s_above_one & ~s_above_two : further_last;
  assign further_on   = further_more & ~(further_last & ~further_open);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_more_q <= 1'b0;
      s_last_q <= 1'b0;
    end else begin
      s_more_q <= s_more_d;
      s_last_q <= s_last_d;
    end
    if (s_first) begin
      s_left_q <= s_len;
      s_vc_q   <= s_vc;
    end else if (s_read) begin
      s_left_q <= s_left_q - 1'b1;
    end
  end

  // ---------------------------------------------------------------- stage X
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cell_valid_o  <= 1'b0;
      cell_first_o  <= 1'b0;
      cell_output_o <= '0;
      // A link's frames carry this VC without a credit too, and their CRC is of all fields.
      cell_vc_o     <= '0;
    end else begin
      cell_valid_o  <= s_read;
      cell_first_o  <= s_first;
      cell_output_o <= s_read ? serve_output_i : '0;
      if (s_read) cell_vc_o <= s_first ? s_vc : s_vc_q;
    end
    if (s_read) cell_out_vc_o <= serve_vc_i;
    if (s_first) cell_len_o <= s_len;
  end

  // ---------------------------------------------------------------- the enqueued packet
  logic [ClassBits-1:0] e_class;
  logic                 e_single;

  xt_enqueued_packet #(
    .Cells      (Cells),
    .LenBits    (LenBits),
    .VcBits     (VcBits),
    .MarkBits   (MarkBits),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Bubble     (Bubble),
    .Requeue    (Requeue),
    .EscapeBits (EscapeBits)
  ) i_enqueued_packet (
    .clk_i, .rst_ni,
    .write_head_i, .write_len_i, .write_vc_i, .write_enters_i,
    .written_addr_i(written_addr),
    .enqueue_i, .enqueue_requeued_i, .enqueue_escape_i,
    .packet_o      (e_packet),
    .class_o       (e_class),
    .single_o      (e_single),
    .requeue_i,
    .serve_packet_i(s_packet),
    .requeue_waits_o, .requeue_not_next_i, .requeue_turn_o, .requeue_escape_o, .requeue_vc_o
  );

  // ---------------------------------------------------------------- place of the arriving packet
  // The place in its queue tells whether the arriving packet is the served one. The packet's address comes too late for
  // a comparison. No packet behind the arriving packet can be served or requeued before the arriving packet is complete.
  logic                 at_head_q;  // the packet is, or was, at the head of arrives_queue_q
  logic [QueueBits-1:0] arrives_queue_q;
  logic                 taken_out_q;  // the packet is the one that waits for its requeue
  logic                 closes, e_arrives, at_head;

  assign closes    = write_i & write_last_i;
  assign e_arrives = enqueue_i & (enqueue_requeued_i ? taken_out_q : arriving);
  assign first_open = arriving & s_arrives;

  xt_equal #(
    .Width(QueueBits)
  ) i_serves_arriving (
    .valid_i(at_head_q),
    .a_i    (arrives_queue_q),
    .b_i    (serve_queue_i),
    .equal_o(s_arrives)
  );
  xt_select_equal #(.Width(AddrBits)) i_at_head (
    .valid_i (f_valid_q & ~e_arrives),
    .a_i     (next_packet[PacketBits-1-:AddrBits]),
    .b_i     (arriving_addr),
    .equal_i (arriving & ~closes),
    .other_i (~closes & (e_arrives ? linked != '0 : at_head_q)),
    .result_o(at_head)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) at_head_q <= 1'b0;
    else at_head_q <= at_head;
    if (!rst_ni || closes) taken_out_q <= 1'b0;
    else if (requeue_i) taken_out_q <= s_arrives;
    else if (enqueue_requeued_i) taken_out_q <= 1'b0;
    if (e_arrives) arrives_queue_q <= enqueue_queue_i;
  end

  // ---------------------------------------------------------------- queue flags
  xt_queue_flags #(
    .Queues     (Queues),
    .LenBits    (LenBits),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Bubble     (Bubble)
  ) i_queue_flags (
    .clk_i, .rst_ni,
    .enqueue_onehot_i,
    .linked_i        (linked),
    .enqueue_class_i (e_class),
    .enqueue_single_i(e_single),
    .serve_i,
    .ge2_i           (ge2),
    .next_onehot_i   (f_onehot_q),
    .next_len_i      (next_packet[LenLsb+:LenBits]),
    .next_enters_i   (Bubble != 0 && next_packet[0]),
    .class_o, .short_o, .short_next_o
  );

  assign nonempty_o   = stays | enqueue_onehot_i;
  assign active_o    = written | f_valid_q | serve_valid_i | s_more_q | cell_valid_o
                     | (free_o != Cells[AddrBits:0]);

`ifdef XT_ASSERT
  logic [Queues-1:0] served_q;
  always_ff @(posedge clk_i) begin
    served_q <= rst_ni ? serve_i : '0;
    if (rst_ni) begin
      voq_serves_a_queue_in_every_second_cycle : assert ((serve_i & served_q) == '0);
      voq_serves_a_packet : assert ((serve_i & ~nonempty) == '0);
      voq_serves_one : assert ((serve_i & (serve_i - 1'b1)) == '0);
      voq_serve_is_told : assert (serve_valid_i == (serve_i != '0));
      voq_serves_or_takes_out : assert (serve_first_i == (serve_valid_i & ~requeue_i) && (serve_valid_i || !requeue_i));
      voq_serves_when_free : assert (!serve_valid_i || !s_more_q);
      voq_knows_where_the_packet_is_that_arrives :
        assert (!serve_valid_i || !arriving || s_arrives == (s_head_addr == arriving_addr));
      voq_continues_as_the_length_says :
        assert (busy_next_o == (s_first ? (first_open ? s_above_one : s_above_two) : further_on));
      voq_marks_are_of_the_length : assert (!s_first || (s_above_one == (s_len != '0) && s_above_two == (s_len > LenBits'(1))));
      voq_enqueues_a_written_head : assert (!enqueue_i || enqueue_requeued_i || written);
      voq_output_is_of_a_cell : assert (cell_valid_o || cell_output_o == '0);
      voq_enqueue_is_told : assert (enqueue_i == (enqueue_onehot_i != '0));
    end
  end
`endif

endmodule

`default_nettype wire
