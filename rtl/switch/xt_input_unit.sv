// SPDX-License-Identifier: Apache-2.0
//
// Input unit of one port. The unit receives cells, looks up the route of each packet, and queues the packet by
// (output, VC) in the shared buffer. The unit requests the outputs for which a queue has a packet that may start.
// xt_input_receive does cycle 0, xt_voq_buffer holds the packets, xt_input_scheduler requests and serves.
//
// Pipeline of a head cell, from the cycle in which the head is at valid_i; the route lookup comes before:
//   -2 lookahead_*: tables addressed      -1 entry read     0 route known: output and VC chosen, cell written
//   1 queued, request made   2 switch allocator   3 head read: its cell's address   4 output_o   5 the cell
// Requests are one cycle older than the match: a queue whose last packet has just been matched may be matched once
// more, without a packet to serve. The scheduler discards this match. The pair is then the last in the order of both
// pointers, so nobody loses by the match.
//
// Adaptive routing (Duato): a packet that waits at the head of an adaptive queue too long moves to its deterministic
// queue, the escape, and stays there (xt_escape_choice). So every head can continue as soon as the deterministic VCs can,
// and the adaptive VCs stay free of deadlock. The move takes a cycle without an arriving head.
//
// Latency: 4 cycles from valid_i to output_o.
// Speed: that of the parts, in xt_input_receive, xt_input_scheduler and xt_voq_buffer.
`default_nettype none

module xt_input_unit #(
  /// Number of this port.
  parameter int Port = 0,
  /// Number of queues: Vcs per link port, Tcs per NIC port, and the one for illegal routes.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1,
  /// Bits of a queue's number: the port on top, below the VC at a link port or the traffic class at a NIC port. The
  /// queue of illegal routes has one port number more.
  localparam int QueueBits = $clog2(xt_pkg::Ports + 1) + xt_pkg::VcBits,
  /// Bits of a stored cell: with a link layer, the poison bit is on top.
  localparam int StoredBits = xt_pkg::CellBits + xt_pkg::HasLinkLayer,
  /// Bits of a number of length classes.
  localparam int CreditOkBits = ((xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 0) + 1
) (
  /// Clock.
  input  logic                            clk_i,
  /// Reset, active low, synchronous.
  input  logic                            rst_ni,
  /// Initialisation of tables and free cells.
  input  logic                            init_i,
  /// Initialisation: the index.
  input  logic [                    15:0] init_addr_i,

  /// VC of the cell that may be at valid_i LookupCycles from now; a header is always announced.
  input  logic [      xt_pkg::VcBits-1:0] lookahead_vc_i,
  /// Destination in that cell, if the cell is a header.
  input  logic [      xt_pkg::IdBits-1:0] lookahead_dest_i,
  /// Bypass: the next head. Timing: arrives late.
  input  logic                            lookahead_other_i,
  /// VC of the bypass.
  input  logic [      xt_pkg::VcBits-1:0] lookahead_other_vc_i,
  /// Destination of the bypass.
  input  logic [      xt_pkg::IdBits-1:0] lookahead_other_dest_i,
  /// A head may come.
  input  logic                            lookahead_valid_i,
  /// A cell arrives.
  input  logic                            valid_i,
  /// The VC that the packet came on.
  input  logic [      xt_pkg::VcBits-1:0] vc_i,
  /// The cell.
  input  logic [          StoredBits-1:0] cell_i,
  /// A cell was freed.
  output logic                            credit_o,
  /// The VC that the cell had come on.
  output logic [      xt_pkg::VcBits-1:0] credit_vc_o,

  /// The card's own address.
  input  logic [      xt_pkg::IdBits-1:0] own_i,
  /// Per TC: 1 = local first.
  input  logic [         xt_pkg::Tcs-1:0] order_i,
  /// Per TC: address bits to compare.
  input  logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_i,
  /// Write an entry of the GRT.
  input  logic                            grt_we_i,
  /// Write an entry of the LRT.
  input  logic                            lrt_we_i,
  /// Word of an entry to write or read.
  input  logic [xt_pkg::TableAddrBits-1:0] index_i,
  /// Value to write.
  input  logic [   xt_pkg::EntryStoredBits-1:0] wdata_i,
  /// Read an entry; with BlockRamOnly, when no cell comes.
  input  logic                            table_read_i,
  /// The entry is one of the GRT.
  input  logic                            table_read_grt_i,
  /// With BlockRamOnly: the entry is read in this cycle.
  output logic                            table_grant_o,
  /// Entry read in the previous cycle, zero without a read.
  output logic [   xt_pkg::EntryStoredBits-1:0] table_rdata_o,

  /// Per queue: number of length classes, from the shortest on, whose packets have credit. Bit b of queue q is at
  /// b*Queues + q; the uppermost bit means all classes.
  input  logic [     CreditOkBits*Queues-1:0] credit_ok_i,
  /// Blocked traffic classes, per output: bit o*Tcs + t.
  input  logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] block_i,
  /// Usable candidates of the next cycle: the port is in a group, and its adaptive VC is not too full. Bit t*LinkPorts + p:
  /// TC t, link port p.
  input  logic [xt_pkg::Tcs*xt_pkg::LinkPorts-1:0] usable_i,
  /// In the next cycle an adaptive VC in the low range.
  input  logic [xt_pkg::Tcs*xt_pkg::LinkPorts-1:0] low_i,
  /// Candidates to be tried first.
  input  logic [   xt_pkg::LinkPorts-1:0] group0_i,
  /// Candidates to be tried if there is none of group 0; then come all others.
  input  logic [   xt_pkg::LinkPorts-1:0] group1_i,
  /// A pulse: heads of adaptive queues that also waited at the last pulse escape.
  input  logic                            tick_i,
  /// Rings, per link port: 12 bits as in the RING register.
  input  logic [xt_pkg::LinkPorts*12-1:0] ring_i,
  /// Where the rings of VC 1 to 3 come from, per link port: 12 bits as in the VC_RING_FROM register.
  input  logic [xt_pkg::LinkPorts*12-1:0] vc_ring_from_i,

  /// Outputs for which a packet may start in the next cycle, should they and this input be free. Late.
  output logic [       xt_pkg::Ports-1:0] request_o,
  /// Outputs for which a packet of more than one cell, or of unknown length, may start. Timing: late.
  output logic [       xt_pkg::Ports-1:0] long_o,
  /// Output matched to this input.
  input  logic [       xt_pkg::Ports-1:0] match_i,
  /// The input is busy, and not matched in this cycle.
  input  logic                            busy_i,
  /// Outputs at which the input gives way to others.
  input  logic [       xt_pkg::Ports-1:0] gives_way_i,
  /// The input asks for one output alone, and does not give way there.
  output logic                            insists_o,
  /// Output of the stream under way; zero if the stream is dropped.
  output logic [       xt_pkg::Ports-1:0] stream_o,
  /// The stream goes beyond the next cycle. Timing: late.
  output logic                            stream_continues_o,
  /// A stream dropped from this cycle on continues beyond the next cycle.
  output logic                            drops_o,
  /// Traffic classes that could start but for block_i, per output; of the last cycle.
  output logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] wanted_o,

  /// Output that a cell leaves for, one-hot; zero for none.
  output logic [       xt_pkg::Ports-1:0] output_o,
  /// The cell is the first of its packet.
  output logic                            first_o,
  /// The cell, one cycle later.
  output logic [          StoredBits-1:0] cell_o,
  /// The VC that the cell leaves on; at a NIC port the packet's traffic class.
  output logic [      xt_pkg::VcBits-1:0] vc_o,
  /// Length of its packet, minus one; valid with the first cell.
  output logic [     xt_pkg::LenBits-1:0] len_o,

  /// A cell was received in the last cycle.
  output logic                            received_o,
  /// The received cell was the first of its packet.
  output logic                            received_first_o,
  /// Traffic class of the received cell.
  output logic [      xt_pkg::TcBits-1:0] received_tc_o,
  /// Per TC: a packet waits for credits of the next buffer.
  output logic [         xt_pkg::Tcs-1:0] stall_credit_o,
  /// Per TC: a packet could start and was not matched.
  output logic [         xt_pkg::Tcs-1:0] stall_grant_o,
  /// A pulse: a packet is dropped for want of a route.
  output logic                            illegal_o,
  /// A pulse: the packet is dropped because its table entry is damaged.
  output logic                            damaged_o,
  /// Header of the dropped packet, or as much as 64 bits hold.
  output logic [                    63:0] header_o,
  /// Something waits.
  output logic                            waiting_o,
  /// A packet is in some queue.
  output logic                            queued_o,
  /// Something is served.
  output logic                            served_o,
  /// Number of free cells.
  output logic [  xt_pkg::CellAddrBits:0] free_o,
  /// Something is in flight inside.
  output logic                            active_o
);

  localparam int ClassBits = (xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 1;
  localparam int Links = xt_pkg::LinkPorts;
  // Escape of a packet: the deterministic output and VC, both one-hot.
  localparam int EscapeBits = xt_pkg::Ports + xt_pkg::Vcs;
  // Outputs that packets of this port may take. The queues of others stay empty, and synthesis removes them.
  localparam bit Turns = xt_pkg::UTurns != 0 || Port >= Links;
  localparam logic [xt_pkg::Ports-1:0] Allowed = ~(xt_pkg::Ports'(!Turns) << Port);
  localparam logic [Queues-1:0] Used = ~(Queues'({xt_pkg::Vcs{!Turns}}) << (Turns ? 0 : Port * xt_pkg::Vcs));

  // ---------------------------------------------------------------- cycle 0: receive; cycle 1: enqueue
  logic                       head, last, enters;
  logic [xt_pkg::LenBits-1:0] header_len;
  logic                       enqueue, arrived;
  logic [       Queues-1:0]   enqueue_onehot;
  logic [    QueueBits-1:0]   enqueue_queue;
  logic [   EscapeBits-1:0]   escape, requeue_escape;
  logic                       requeue, requeue_waits, requeue_pending;
  logic [xt_pkg::VcBits-1:0]  requeue_vc;

  xt_input_receive #(
    .Port   (Port),
    .Allowed(Allowed)
  ) i_receive (
    .clk_i, .rst_ni,
    .lookahead_vc_i, .lookahead_dest_i, .lookahead_other_i, .lookahead_other_vc_i, .lookahead_other_dest_i,
    .lookahead_valid_i, .valid_i, .vc_i,
    .cell_i          (cell_i[xt_pkg::CellBits-1:0]),
    .own_i, .order_i, .mask_i, .grt_we_i, .lrt_we_i, .index_i, .wdata_i,
    .table_read_i, .table_read_grt_i, .table_grant_o, .table_rdata_o,
    .usable_i, .low_i, .group0_i, .group1_i, .ring_i, .vc_ring_from_i,
    .head_o          (head),
    .last_o          (last),
    .len_o           (header_len),
    .enters_o        (enters),
    .requeue_escape_i(requeue_escape),
    .requeue_i       (requeue),
    .requeue_vc_i    (requeue_vc),
    .enqueue_o       (enqueue),
    .enqueue_queue_o (enqueue_queue),
    .enqueue_onehot_o(enqueue_onehot),
    .escape_o        (escape),
    .received_o, .received_first_o, .received_tc_o, .illegal_o, .damaged_o, .header_o,
    .active_o        (arrived)
  );

  // ---------------------------------------------------------------- cycle 1: request; cycle 2: be matched
  logic [               Queues-1:0] filled, nonempty, short_of, head_from_next, serve;
  // Of packets to drop nobody looks.
  // verilator lint_off UNUSEDSIGNAL
  logic [               Queues-1:0] short_next, credit_ok;
  // verilator lint_on UNUSEDSIGNAL
  logic [     ClassBits*Queues-1:0] head_class;
  logic                             busy_next;
  logic [Links*xt_pkg::Vcs-1:0]     must_escape;
  logic                             any_escape, escaping, escape_taken, yields;
  logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] might_start;
  logic [            QueueBits-1:0] serve_next, serve_queue;
  logic                             serve_from_next, serve_valid, serve_first, serve_requeue;
  logic [        xt_pkg::Ports-1:0] serve_output;
  logic [       xt_pkg::VcBits-1:0] serve_vc;

  assign nonempty = filled & Used;

  xt_input_scheduler #(
    .Allowed(Allowed)
  ) i_scheduler (
    .clk_i, .rst_ni,
    .nonempty_i       (nonempty),
    .head_class_i     (head_class),
    .credit_ok_i,
    .short_i          (short_of),
    .short_next_i     (short_next[Queues-2:0]),
    .head_from_next_i (head_from_next),
    .busy_next_i      (busy_next),
    .busy_i,
    .block_i,
    .escape_i         (must_escape),
    .any_escape_i     (any_escape),
    .escaping_i       (escaping),
    .yields_i         (yields),
    .gives_way_i, .insists_o,
    .escape_taken_o   (escape_taken),
    .request_o, .long_o, .match_i, .drops_o, .wanted_o,
    .credit_ok_o      (credit_ok),
    .might_start_o    (might_start),
    .serve_next_o     (serve_next),
    .serve_o          (serve),
    .serve_queue_o    (serve_queue),
    .serve_from_next_o(serve_from_next),
    .serve_valid_o    (serve_valid),
    .serve_first_o    (serve_first),
    .serve_requeue_o  (serve_requeue),
    .serve_output_o   (serve_output),
    .serve_vc_o       (serve_vc)
  );

  if (xt_pkg::HasAdaptive != 0) begin : g_escape
    xt_escape_choice #(
      .Links   (Links),
      .Vcs     (xt_pkg::Vcs),
      .Adaptive(xt_pkg::VcAdaptive)
    ) i_escape_choice (
      .clk_i, .rst_ni,
      .tick_i,
      .nonempty_i     (nonempty[Links*xt_pkg::Vcs-1:0]),
      .serve_i        (serve[Links*xt_pkg::Vcs-1:0]),
      .taken_i        (escape_taken),
      .requeue_i      (serve_requeue),
      .requeue_waits_i(requeue_waits),
      .choice_o       (must_escape),
      .any_o          (any_escape),
      .escaping_o     (escaping),
      .yields_o       (yields),
      .pending_o      (requeue_pending)
    );
  end else begin : g_no_escape
    assign must_escape     = '0;
    assign any_escape      = 1'b0;
    assign escaping        = 1'b0;
    assign yields          = 1'b0;
    assign requeue_pending = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = tick_i | escape_taken;
    // verilator lint_on UNUSEDSIGNAL
  end

  xt_stall_detector i_stall_detector (
    .clk_i, .rst_ni,
    .nonempty_i   (nonempty[Queues-2:0]),
    .credit_ok_i  (credit_ok[Queues-2:0]),
    .might_start_i(might_start),
    .serve_valid_i(serve_valid),
    .serve_queue_i(serve_queue),
    .stall_credit_o, .stall_grant_o
  );

  // ---------------------------------------------------------------- buffer
  logic                     cell_valid, buffer_active;
  logic [xt_pkg::Ports-1:0] cell_output;

  xt_voq_buffer #(
    .CellBits   (StoredBits),
    .Cells      (xt_pkg::BufferCells),
    .Queues     (Queues),
    .QueueBits  (QueueBits),
    .LenBits    (xt_pkg::LenBits),
    .VcBits     (xt_pkg::VcBits),
    .Classes    (xt_pkg::LengthClasses),
    .LengthClass(xt_pkg::LengthClass),
    .Bubble     (xt_pkg::Bubble),
    .Outputs    (xt_pkg::Ports),
    .Requeue    (xt_pkg::HasAdaptive),
    .EscapeBits (EscapeBits),
    .BlockRamOnly(xt_pkg::BlockRamOnly)
  ) i_buffer (
    .clk_i,
    .rst_ni,
    .init_i,
    .init_addr_i,
    .write_i           (valid_i),
    .write_head_i      (head),
    .write_last_i      (last),
    .write_cell_i      (cell_i),
    .write_len_i       (header_len),
    .write_vc_i        (vc_i),
    .write_enters_i    (enters),
    .enqueue_i         (enqueue),
    .enqueue_queue_i   (enqueue_queue),
    .enqueue_onehot_i  (enqueue_onehot),
    .enqueue_escape_i  (escape),
    .enqueue_requeued_i(requeue),
    .nonempty_o        (filled),
    .class_o           (head_class),
    .short_o           (short_of),
    .short_next_o      (short_next),
    .head_from_next_o  (head_from_next),
    .busy_next_o       (busy_next),
    .serve_next_i      (serve_next),
    .serve_i           (serve),
    .serve_queue_i     (serve_queue),
    .serve_from_next_i (serve_from_next),
    .serve_valid_i     (serve_valid),
    .serve_first_i     (serve_first),
    .serve_output_i    (serve_output),
    .serve_vc_i        (serve_vc),
    .requeue_i         (serve_requeue),
    .requeue_waits_o   (requeue_waits),
    .requeue_not_next_i(head),
    .requeue_turn_o    (requeue),
    .requeue_escape_o  (requeue_escape),
    .requeue_vc_o      (requeue_vc),
    .cell_valid_o      (cell_valid),
    .cell_first_o      (first_o),
    .cell_o            (cell_o),
    .cell_vc_o         (credit_vc_o),
    .cell_len_o        (len_o),
    .cell_output_o     (cell_output),
    .cell_out_vc_o     (vc_o),
    .free_o            (free_o),
    .active_o          (buffer_active)
  );

  assign active_o           = buffer_active | arrived | requeue_waits | requeue_pending;
  assign stream_o           = serve_output;
  assign stream_continues_o = busy_next;
  assign output_o           = cell_output;
  assign credit_o           = cell_valid;
  assign queued_o           = nonempty != '0;
  assign waiting_o          = free_o != xt_pkg::BufferCells[xt_pkg::CellAddrBits:0];
  assign served_o           = cell_valid;

endmodule

`default_nettype wire
