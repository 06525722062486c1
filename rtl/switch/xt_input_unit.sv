// SPDX-License-Identifier: Apache-2.0
//
// Input unit of one port. The unit receives cells, looks up the route of each packet, and queues the packet by
// (output, VC) in the shared buffer. The unit requests the outputs for which a queue has a packet that may start.
//
// Pipeline of a head cell, from the cycle in which the head is at valid_i; the route lookup comes before:
//   -2 lookahead_*: tables addressed      -1 entry read     0 route known: output and VC chosen, cell written
//   1 queued, request made   2 switch allocator   3 cell memory read   4 output_o with the cell
// Requests are one cycle older than the match: a queue whose last packet has just been matched may be matched once
// more, without a packet to serve. retry_mask cancels this match. The pair is then the last in the order of both
// pointers, so nobody loses by the match.
//
// Adaptive routing (Duato), for a packet of a TC with an adaptive VC that comes from a NIC or on that VC. The
// packet may take the adaptive VC at any port in the mask of its entry. The first of the groups group*_i with
// a usable candidate serves: low candidates first, round robin inside a range. If no candidate is usable, the packet
// takes its deterministic output and VC. A packet that waits at the head of its queue through two
// pulses of tick_i moves to its deterministic queue, the escape, and stays there. So every head can continue as
// soon as the deterministic VCs can, and the adaptive VCs stay free of deadlock. The move takes a cycle without an
// arriving head; `yields` guarantees such a cycle.
//
// Fairness of escapes: the lowest of the queues that must escape goes first. Two escapes of one queue lie at least two
// pulses apart. So a queue waits for at most one escape of each lower queue and each two pulses. An escape takes at most 5
// cycles without arrivals, and 36 cycles and a buffer of cells with them. Pulses that are further apart than the escapes of
// all adaptive queues take starve no queue.
//
// A packet with an illegal route goes to a queue of its own: the entry is not valid, or names a port or VC that does
// not exist. This queue is drained: its cells are dropped and credited back, so no packet waits behind them. The queue
// goes first at its input. Its share of the input's bandwidth is at most the share that its packets took to arrive.
//
// Latency: 4 cycles from valid_i to output_o.
// Speed, cycle 0: the choice of the adaptive candidate, whose route comes last. Cycle 1: flags of the queues,
// credit_ok by length class, OR per output. Cycle 2: behind the match, an OR of the choices for each output.
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
  /// Entry to write or read.
  input  logic [     xt_pkg::LrtBits-1:0] index_i,
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

  /// Outputs for which a packet may start in the next cycle, should they and this input be free. Late.
  output logic [       xt_pkg::Ports-1:0] request_o,
  /// Outputs for which a packet of more than one cell, or of unknown length, may start. Timing: late.
  output logic [       xt_pkg::Ports-1:0] long_o,
  /// Output matched to this input.
  input  logic [       xt_pkg::Ports-1:0] match_i,
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
  /// The cell.
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

  localparam int DropQueue = Queues - 1;
  localparam int ClassBits = (xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 1;
  localparam int Links = xt_pkg::LinkPorts;
  localparam int Vcs = xt_pkg::Vcs;
  localparam int Tcs = xt_pkg::Tcs;
  localparam logic [Vcs*8-1:0] VcTc = xt_pkg::VcTc;

  // First queue of an output, and the number of its queues.
  function automatic int first_queue(input int o);
    first_queue = (o < Links) ? o * Vcs : Links * Vcs + (o - Links) * Tcs;
  endfunction
  function automatic int queue_count(input int o);
    queue_count = (o < Links) ? Vcs : Tcs;
  endfunction
  // Queue v of output o, which must have a queue; any result serves for a v beyond its queues.
  function automatic int queue_of(input int o, input int v);
    queue_of = (v < queue_count(o)) ? first_queue(o) + v : 0;
  endfunction
  function automatic int tc_of_queue(input int o, input int v);
    tc_of_queue = (o < Links) ? 32'(xt_pkg::VcTc[v*8+:8]) : v % Tcs;
  endfunction
  function automatic logic [xt_pkg::TcBits-1:0] tc_of(input logic [xt_pkg::VcBits-1:0] vc);
    tc_of = '0;
    for (int v = 0; v < Vcs; v++) begin
      if (vc == v[xt_pkg::VcBits-1:0]) tc_of = tc_of | xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
    end
  endfunction
  // The queues of output o of each TC, as bits from its first queue on; TC t's from bit t*Vcs on.
  function automatic logic [Tcs*Vcs-1:0] queues_by_tc(input int o);
    queues_by_tc = '0;
    for (int v = 0; v < Vcs; v++) begin
      for (int t = 0; t < Tcs; t++) begin
        if ((o < Links) ? VcTc[v*8+:8] == 8'(t) : v == t) queues_by_tc[t*Vcs+v] = 1'b1;
      end
    end
  endfunction
  localparam logic [Tcs-1:0] AdaptiveTcs = adaptive_tcs();
  localparam logic [QueueBits-1:0] DropNumber = QueueBits'(xt_pkg::Ports * 2 ** xt_pkg::VcBits);
  // A one-hot number in binary.
  function automatic logic [QueueBits-xt_pkg::VcBits-1:0] port_number(input logic [xt_pkg::Ports-1:0] port);
    port_number = '0;
    for (int o = 0; o < xt_pkg::Ports; o++)
      if (port[o]) port_number = port_number | o[QueueBits-xt_pkg::VcBits-1:0];
  endfunction
  function automatic logic [xt_pkg::VcBits-1:0] vc_number(input logic [Vcs-1:0] vc);
    vc_number = '0;
    for (int v = 0; v < Vcs; v++) if (vc[v]) vc_number = vc_number | v[xt_pkg::VcBits-1:0];
  endfunction
  // TCs with an adaptive VC.
  function automatic logic [Tcs-1:0] adaptive_tcs();
    adaptive_tcs = '0;
    for (int v = 0; v < Vcs; v++) if (xt_pkg::VcAdaptive[v]) adaptive_tcs[VcTc[v*8+:xt_pkg::TcBits]] = 1'b1;
  endfunction

  // Queues of links above the lowest set one.
  function automatic logic [Queues-1:0] above_queue(input logic [Queues-1:0] bits);
    above_queue = bits << 1;
    for (int k = 1; k < Links * Vcs; k = k * 2) above_queue = above_queue | (above_queue << k);
  endfunction

  // ---------------------------------------------------------------- route, from two cycles before
  logic [xt_pkg::EntryTcBits-1:0] route;
  logic                           route_damaged;
  logic                           lookup;

  xt_route_table i_route_table (
    .clk_i,
    .dest_i       (lookahead_dest_i),
    .tc_i         (tc_of(lookahead_vc_i)),
    .other_i      (lookahead_other_i),
    .other_dest_i (lookahead_other_dest_i),
    .other_tc_i   (tc_of(lookahead_other_vc_i)),
    .own_i,
    .order_i,
    .mask_i,
    .route_o      (route),
    .route_error_o(route_damaged),
    .grt_we_i,
    .lrt_we_i,
    .index_i,
    .wdata_i,
    .lookup_i     (lookup),
    .read_i       (table_read_i),
    .read_grt_i   (table_read_grt_i),
    .read_grant_o (table_grant_o),
    .rdata_o      (table_rdata_o)
  );

  // ---------------------------------------------------------------- cycle 0: receive, choose output and VC
  logic                       in_packet_q;
  logic [xt_pkg::LenBits-1:0] left_q;  // cells still to come
  logic                       head, last;
  logic [xt_pkg::LenBits-1:0] header_len;

  assign header_len = cell_i[xt_pkg::HdrLenLsb+:xt_pkg::LenBits];
  assign head       = valid_i & ~in_packet_q;
  assign last       = in_packet_q ? (left_q == xt_pkg::LenBits'(1)) : (header_len == '0);

  // With a lookup of one cycle the next cell is a header unless this cycle's cell leaves its packet open.
  assign lookup = lookahead_valid_i & (xt_pkg::LookupCycles != 1 || (valid_i ? last : ~in_packet_q));

  // Values that depend on the VC of a head are ready before the head: lookahead_vc_i announced the VC.
  logic [xt_pkg::VcBits-1:0] due_vc;  // VC of the head that may come in the next cycle
  logic [           Tcs-1:0] due_tc, tc_onehot;  // traffic class of that head; of the head that may be at valid_i
  if (xt_pkg::LookupCycles == 2) begin : g_due
    always_ff @(posedge clk_i) due_vc <= lookahead_other_i ? lookahead_other_vc_i : lookahead_vc_i;
  end else begin : g_due_at_once
    assign due_vc = lookahead_other_i ? lookahead_other_vc_i : lookahead_vc_i;
  end
  always_comb begin
    for (int t = 0; t < Tcs; t++) due_tc[t] = tc_of(due_vc) == t[xt_pkg::TcBits-1:0];
  end
  always_ff @(posedge clk_i) tc_onehot <= due_tc;

  logic [  xt_pkg::Ports-1:0] det_port, out_port;  // one-hot
  logic [            Vcs-1:0] det_vc, out_vc;  // one-hot, through all TCs
  logic [          Links-1:0] chosen;
  logic                       legal, adapts;  // adapts: if legal

  always_comb begin
    det_port = '0;
    det_vc   = '0;
    legal    = 1'b0;
    for (int v = 0; v < Vcs; v++) begin
      if (tc_onehot[xt_pkg::VcTc[v*8+:xt_pkg::TcBits]]
          && 8'(route[xt_pkg::EntryVcLsb+:xt_pkg::EntryVcBits])
             == 8'(v) - xt_pkg::TcFirstVc[32'(xt_pkg::VcTc[v*8+:xt_pkg::TcBits])*8+:8]) begin
        det_vc[v] = 1'b1;
      end
    end
    for (int o = 0; o < xt_pkg::Ports; o++) begin
      det_port[o] = route[xt_pkg::EntryPortLsb+:xt_pkg::EntryPortBits] == o[xt_pkg::EntryPortBits-1:0];
    end
    if (route[xt_pkg::EntryValidBit] && !route_damaged) begin
      legal = (det_port[xt_pkg::Ports-1:Links] != '0) || (det_port[Links-1:0] != '0 && det_vc != '0);
    end
  end

  if (xt_pkg::HasAdaptive != 0) begin : g_adaptive
    logic [Links-1:0] candidates, usable, low, usable_q, low_q;
    logic             due_may, may_q;

    assign due_may = (Port >= Links) ? (due_tc & AdaptiveTcs) != '0
                                     : (xt_pkg::VcAdaptive & (Vcs'(1) << due_vc)) != '0;

    always_comb begin
      usable = '0;
      low    = '0;
      // An adaptive packet has one of these TCs, so the first adaptive TC needs no comparison.
      for (int t = 0; t < Tcs; t++) begin
        if (AdaptiveTcs[t] && (due_tc[t] || (AdaptiveTcs & ((Tcs'(1) << t) - 1'b1)) == '0)) begin
          usable = usable_i[t*Links+:Links];
          low    = low_i[t*Links+:Links];
        end
      end
    end
    always_ff @(posedge clk_i) begin
      may_q    <= due_may;
      usable_q <= usable;
      low_q    <= low;
    end
    assign candidates = usable_q & route[xt_pkg::EntryMaskLsb+:Links];
    assign adapts     = may_q && candidates != '0;

    xt_adaptive_choice #(
      .Ports(Links)
    ) i_choice (
      .clk_i,
      .rst_ni,
      .candidates_i(candidates),
      .low_i       (low_q),
      .group0_i,
      .group1_i,
      .take_i      (head && legal && adapts),
      .chosen_o    (chosen)
    );
  end else begin : g_deterministic
    assign chosen = '0;
    assign adapts = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{usable_i, low_i, group0_i, group1_i, tick_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  always_comb begin
    out_port = det_port;
    out_vc   = det_vc;
    if (adapts) begin
      out_port = {{xt_pkg::NicPorts{1'b0}}, chosen};
      out_vc   = '0;
      for (int v = 0; v < Vcs; v++) begin
        out_vc[v] = xt_pkg::VcAdaptive[v] & tc_onehot[xt_pkg::VcTc[v*8+:xt_pkg::TcBits]];
      end
    end
  end

  // Whether the packet enters a ring by the deterministic way; bubble profiles have no other.
  logic enters;
  if (xt_pkg::Bubble != 0) begin : g_bubble
    always_comb begin
      enters = 1'b0;
      for (int o = 0; o < Links; o++) begin
        for (int v = 0; v < Vcs; v++) begin
          if (det_port[o] && det_vc[v]
              && ring_i[o*12+4+32'(v)-32'(xt_pkg::TcFirstVc[32'(xt_pkg::VcTc[v*8+:8])*8+:8])]) enters = 1'b1;
        end
      end
      for (int o = 0; o < Links; o++) begin
        for (int v = 0; v < Vcs; v++) begin
          if (det_port[o] && ring_i[o*12+:4] == 4'(Port) && vc_i == v[xt_pkg::VcBits-1:0]
              && ring_i[o*12+8+32'(v)-32'(xt_pkg::TcFirstVc[32'(xt_pkg::VcTc[v*8+:8])*8+:8])]) enters = 1'b0;
        end
      end
    end
  end else begin : g_no_bubble
    assign enters = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^ring_i;
    // verilator lint_on UNUSEDSIGNAL
  end

  logic                       head_q;
  logic                       e_drop_q;
  logic [  xt_pkg::Ports-1:0] e_port_q;  // zero without a head, or if the head has no route
  logic [            Vcs-1:0] e_vc_onehot_q;
  logic [            Tcs-1:0] e_tc_onehot_q;

  // Escape of a packet: the deterministic output and VC, both one-hot.
  localparam int EscapeBits = xt_pkg::Ports + Vcs;
  logic [     EscapeBits-1:0] e_escape_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_packet_q      <= 1'b0;
      received_o       <= 1'b0;
      received_first_o <= 1'b0;
      head_q           <= 1'b0;
      illegal_o        <= 1'b0;
      damaged_o        <= 1'b0;
      e_drop_q         <= 1'b0;
      e_port_q         <= '0;
    end else begin
      received_o       <= valid_i;
      received_first_o <= head;
      head_q           <= head;
      illegal_o        <= head & ~legal & ~route_damaged;
      damaged_o        <= head & route_damaged;
      e_drop_q         <= head & ~legal;
      e_port_q         <= (head && legal) ? out_port : '0;
      if (valid_i) in_packet_q <= ~last;
    end
    if (valid_i) begin
      left_q        <= in_packet_q ? left_q - 1'b1 : header_len;
      received_tc_o <= tc_of(vc_i);
    end
    if (head) begin
      header_o      <= 64'(cell_i[xt_pkg::CellBits-1:0]);
      e_vc_onehot_q <= out_vc;
      e_tc_onehot_q <= tc_onehot;
      e_escape_q    <= {det_port, det_vc};
    end
  end

  // ---------------------------------------------------------------- cycle 1: enqueue and request
  logic                     requeue, requeue_waits, requeue_pending_q;
  logic [   EscapeBits-1:0] requeue_escape;
  logic [xt_pkg::VcBits-1:0] requeue_vc;
  logic                     enqueue;
  logic [xt_pkg::Ports-1:0] requeue_port;  // output of the packet under requeue, zero without one
  logic [          Vcs-1:0] requeue_vc_onehot;
  logic [          Tcs-1:0] requeue_tc_onehot;
  logic [       Queues-1:0] enqueue_onehot;
  logic [    QueueBits-1:0] enqueue_queue;

  assign enqueue = head_q | requeue;

  always_comb begin
    requeue_port      = requeue_escape[EscapeBits-1-:xt_pkg::Ports];
    requeue_vc_onehot = requeue_escape[Vcs-1:0];
    for (int t = 0; t < Tcs; t++) requeue_tc_onehot[t] = tc_of(requeue_vc) == t[xt_pkg::TcBits-1:0];
    // One output at most is not zero, so these are not chosen from but joined.
    for (int o = 0; o < Links; o++) begin
      enqueue_onehot[o*Vcs+:Vcs] = ({Vcs{e_port_q[o]}} & e_vc_onehot_q) | ({Vcs{requeue_port[o]}} & requeue_vc_onehot);
    end
    for (int o = Links; o < xt_pkg::Ports; o++) begin
      enqueue_onehot[Links*Vcs+(o-Links)*Tcs+:Tcs] = ({Tcs{e_port_q[o]}} & e_tc_onehot_q)
                                                   | ({Tcs{requeue_port[o]}} & requeue_tc_onehot);
    end
    enqueue_onehot[DropQueue] = e_drop_q;
    enqueue_queue             = (e_drop_q ? DropNumber : '0) | {port_number(e_port_q | requeue_port), {xt_pkg::VcBits{1'b0}}};
    if (e_port_q[Links-1:0] != '0) enqueue_queue = enqueue_queue | QueueBits'(vc_number(e_vc_onehot_q));
    if (e_port_q[xt_pkg::Ports-1:Links] != '0) enqueue_queue = enqueue_queue | QueueBits'(vc_number(Vcs'(e_tc_onehot_q)));
    if (requeue_port[Links-1:0] != '0) enqueue_queue = enqueue_queue | QueueBits'(vc_number(requeue_vc_onehot));
    if (requeue_port[xt_pkg::Ports-1:Links] != '0)
      enqueue_queue = enqueue_queue | QueueBits'(vc_number(Vcs'(requeue_tc_onehot)));
  end

  logic [          Queues-1:0] nonempty, credit_ok, retry_mask;
  // The first is of packets to drop, but for assertions; the second of all others.
  // verilator lint_off UNUSEDSIGNAL
  logic [          Queues-1:0] short_of, short_next;
  // verilator lint_on UNUSEDSIGNAL
  logic [          Queues-2:0] able, able_q;
  logic [ClassBits*Queues-1:0] head_class;
  logic [     xt_pkg::Ports*Tcs-1:0] wanted, wanted_q, may_start, wanted_long;
  logic                        went_on_q;  // busy_next of the last cycle
  logic [   xt_pkg::Ports-1:0] serve_output_q;  // output of the last service
  logic [   xt_pkg::Ports-1:0] went_to_q;  // serve_output_q of the last cycle
  logic [     xt_pkg::Ports*Tcs-1:0] block_q;  // of the classes that able_q is about
  logic [   xt_pkg::Ports-1:0] any, long_q;
  logic                        busy_q, busy_next, yields;
  logic                        own;  // a queue goes without a match, unless yields
  logic                        serve_own;
  logic [          Queues-1:0] own_d, own_q;  // queue served without a match: dropped, or moved to its escape
  logic                        own_requeue_q;
  logic [       QueueBits-1:0] own_queue_q, own_queue;

  always_comb begin
    // More classes than the number of the head's, compared from the low bit up.
    credit_ok = '0;
    for (int b = 0; b < CreditOkBits - 1; b++) begin
      credit_ok = (credit_ok_i[b*Queues+:Queues] & (credit_ok | ~head_class[b*Queues+:Queues]))
           | (credit_ok & ~head_class[b*Queues+:Queues]);
    end
    credit_ok = credit_ok | credit_ok_i[(CreditOkBits-1)*Queues+:Queues];
  end
  assign able = nonempty[Queues-2:0] & credit_ok[Queues-2:0];

  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_eligible
    localparam int First = first_queue(o);
    localparam int Count = queue_count(o);
    localparam logic [Tcs*Vcs-1:0] ByTc = queues_by_tc(o);

    for (genvar t = 0; t < Tcs; t++) begin : g_tc
      assign wanted[o*Tcs+t]      = (able[First+:Count] & ByTc[t*Vcs+:Count]) != '0;
      assign wanted_long[o*Tcs+t] = (able[First+:Count] & ~short_next[First+:Count] & ByTc[t*Vcs+:Count]) != '0;
    end
    assign any[o]    = may_start[o*Tcs+:Tcs] != '0;
    assign long_o[o] = (wanted_long[o*Tcs+:Tcs] & ~block_i[o*Tcs+:Tcs]) != '0;
  end
  assign may_start = wanted & ~block_i;

  // Queue served without a match: first that of illegal routes, then one that must escape unless an escape is under way.
  logic [   Queues-1:0] must_escape;
  logic                 escaping;  // late
  logic [   Queues-1:0] first_escape;
  logic [QueueBits-1:0] first_escape_queue;
  logic                 any_escape;
  always_comb begin
    first_escape       = must_escape & ~above_queue(must_escape);
    first_escape_queue = '0;
    any_escape         = must_escape != '0;
    for (int o = 0; o < Links; o++) begin
      for (int v = 0; v < Vcs; v++) begin
        if (first_escape[o*Vcs+v])
          first_escape_queue = first_escape_queue | QueueBits'(o * 2 ** xt_pkg::VcBits + v);
      end
    end
    own_d            = (nonempty[DropQueue] || escaping) ? '0 : first_escape;
    own_d[DropQueue] = nonempty[DropQueue] & ~yields;
    own_queue        = nonempty[DropQueue] ? DropNumber : escaping ? '0 : first_escape_queue;
    own              = nonempty[DropQueue] | (any_escape & ~escaping);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      able_q        <= '0;
      own_q         <= '0;
      own_requeue_q <= 1'b0;
      wanted_q      <= '0;
    end else begin
      able_q        <= able;
      own_q         <= own_d;
      own_requeue_q <= ~nonempty[DropQueue];
      wanted_q      <= wanted;
    end
    own_queue_q    <= own_queue;
    block_q        <= block_i;
    long_q         <= long_o;
    went_on_q      <= busy_next;
    went_to_q      <= serve_output_q;
  end
  assign request_o = (own || yields) ? '0 : any;

  // A packet for another output than the busy input's output could not start.
  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_wanted
    assign wanted_o[o*Tcs+:Tcs] = (went_on_q && !went_to_q[o]) ? '0 : wanted_q[o*Tcs+:Tcs];
  end

  // ---------------------------------------------------------------- cycle 2: be matched
  logic [             Queues-1:0] serve, serve_q;
  logic [             Queues-2:0] ready;  // unless their class is blocked
  logic [             Queues-2:0] pick;
  logic [      xt_pkg::Ports-1:0] pick_any, serve_output;
  logic                           serve_valid, serve_valid_q, serve_first_q, serve_requeue_q;
  logic [          QueueBits-1:0] serve_queue, serve_queue_q;
  logic [     xt_pkg::VcBits-1:0] serve_vc, serve_vc_q;
  // The VC that each output would be served, and the source of its head in the buffer, ready before the match.
  logic [xt_pkg::Ports*xt_pkg::VcBits-1:0] pick_vc;
  logic [               xt_pkg::Ports-1:0] pick_from_next;
  logic [                      Queues-1:0] head_from_next;
  logic                                    serve_from_next, serve_from_next_q;
  // Tells a served choice from a packet moved to its escape. The path to each output's choice is short.
  logic [                       Links-1:0] matched_q;

  assign ready = able_q & ~retry_mask[Queues-2:0];

  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_output
    localparam int First = first_queue(o);
    localparam int Count = queue_count(o);
    if (o < Links) begin : g_link
      xt_vc_arbiter #(
        .Queues    (Vcs),
        .Classes   (Tcs),
        .QueueClass(xt_pkg::VcTc)
      ) i_vc_arbiter (
        .clk_i,
        .rst_ni,
        .eligible_i(ready[First+:Vcs]),
        .blocked_i (block_q[o*Tcs+:Tcs]),
        .pick_o    (pick[First+:Vcs]),
        .number_o  (pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits]),
        .any_o     (pick_any[o]),
        .served_i  (serve_q[First+:Vcs] & {Vcs{matched_q[o]}})
      );
    end else begin : g_nic
      logic [Tcs-1:0] unblocked;
      assign unblocked   = ready[First+:Tcs] & ~block_q[o*Tcs+:Tcs];
      assign pick_any[o] = unblocked != '0;
      xt_round_robin #(
        .Width(Tcs)
      ) i_tc_arbiter (
        .clk_i,
        .rst_ni,
        .request_i(unblocked),
        .grant_o  (pick[First+:Tcs]),
        .advance_i(match_i[o] & pick_any[o]),
        .served_i (pick[First+:Tcs])
      );
      assign pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits] = vc_number(Vcs'(pick[First+:Tcs]));
    end
    assign pick_from_next[o]   = (pick[First+:Count] & head_from_next[First+:Count]) != '0;
    assign serve[First+:Count] = match_i[o] ? pick[First+:Count] : own_q[First+:Count] & {Count{serve_own}};
  end
  // Nothing is requested for the cycle in which a queue goes by itself.
  assign serve_own        = ~busy_q & ((own_q & ~retry_mask) != '0);
  assign serve[DropQueue] = own_q[DropQueue] & serve_own;
  // A packet to drop may be longer than one cell.
  assign drops_o          = serve_own & ~own_requeue_q & ~short_of[DropQueue];

  xt_grant_mux #(
    .Outputs  (xt_pkg::Ports),
    .VcBits   (xt_pkg::VcBits),
    .QueueBits(QueueBits)
  ) i_grant_mux (
    .match_i,
    .any_i           (pick_any),
    .vc_i            (pick_vc),
    .head_from_next_i(pick_from_next),
    .own_i           (serve_own),
    .own_queue_i     (own_queue_q),
    .own_from_next_i (serve_own && (own_q & head_from_next) != '0),
    .valid_o         (serve_valid),
    .output_o        (serve_output),
    .vc_o            (serve_vc),
    .queue_o         (serve_queue),
    .head_from_next_o(serve_from_next)
  );

  always_ff @(posedge clk_i) begin
    serve_q   <= serve;  // zero in reset, as nothing is matched
    matched_q <= match_i[Links-1:0];
    if (!rst_ni) begin
      serve_valid_q   <= 1'b0;
      serve_first_q   <= 1'b0;
      serve_requeue_q <= 1'b0;
      serve_output_q  <= '0;
      busy_q          <= 1'b0;
    end else begin
      serve_valid_q   <= serve_valid;
      serve_first_q   <= serve_output != '0 || (serve_own && !own_requeue_q);
      serve_requeue_q <= serve_own & own_requeue_q;
      busy_q          <= busy_next | drops_o | (match_i & long_q) != '0;
      if (serve_valid) serve_output_q <= serve_output;
    end
    serve_from_next_q <= serve_from_next;
    if (serve_valid) begin
      serve_queue_q <= serve_queue;
      serve_vc_q    <= serve_vc;
    end
  end

  // ---------------------------------------------------------------- escape
  // A packet that was taken out can be enqueued from the second cycle on.
  always_ff @(posedge clk_i) requeue_pending_q <= rst_ni & serve_requeue_q;

  if (xt_pkg::HasAdaptive != 0) begin : g_escape
    logic [Queues-1:0] waited_q, must_q;
    logic [       4:0] held_off_q;  // cycles in which arrivals held off the packet under requeue

    // Packets of one cell that arrive without a gap would hold the packet off for ever. Then the input serves no packet
    // until the requeue: no cell is credited, so the sender pauses after a buffer of cells at the latest.
    assign yields = held_off_q == '1;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || !requeue_waits) held_off_q <= '0;
      else if (!yields) held_off_q <= held_off_q + 1'b1;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        waited_q <= '0;
        must_q   <= '0;
      end else begin
        waited_q <= (waited_q | (tick_i ? nonempty : '0)) & ~serve_q & nonempty;
        must_q   <= (must_q | (tick_i ? waited_q : '0)) & ~serve_q & nonempty;
      end
    end
    // Only VCs that may occur.
    always_comb begin
      must_escape = '0;
      for (int o = 0; o < Links; o++) begin
        for (int v = 0; v < Vcs; v++) begin
          if (xt_pkg::VcAdaptive[v]) must_escape[o*Vcs+v] = must_q[o*Vcs+v] & ~serve_q[o*Vcs+v];
        end
      end
    end
    assign escaping = requeue_waits || serve_requeue_q || (serve_own && own_requeue_q) || requeue_pending_q;
  end else begin : g_no_escape
    assign must_escape = '0;
    assign escaping    = 1'b0;
    assign yields      = 1'b0;
  end

  // ---------------------------------------------------------------- stalls
  localparam logic [Tcs*Vcs-1:0] VcsByTc = queues_by_tc(0);
  logic [Queues-1:0] no_credit;
  logic [   Vcs-1:0] waits_for_credit;  // of all links
  logic [   Vcs-1:0] waits_q;
  logic [xt_pkg::NicPorts*Tcs-1:0] waits_at_nic_q;
  logic [   Tcs-1:0] could_start, stalled_grant_q, served_tc;
  // may_start of the last cycle
  wire  [xt_pkg::Ports*Tcs-1:0] might_start = wanted_q & ~block_q;

  assign no_credit = nonempty & ~credit_ok;
  always_comb begin
    waits_for_credit = '0;
    could_start      = '0;
    for (int o = 0; o < Links; o++) begin
      waits_for_credit = waits_for_credit | no_credit[o*Vcs+:Vcs];
    end
    for (int t = 0; t < Tcs; t++) begin
      stall_credit_o[t] = (waits_q & VcsByTc[t*Vcs+:Vcs]) != '0;
    end
    for (int n = 0; n < xt_pkg::NicPorts; n++) begin
      stall_credit_o = stall_credit_o | waits_at_nic_q[n*Tcs+:Tcs];
    end
    for (int o = 0; o < xt_pkg::Ports; o++) could_start = could_start | might_start[o*Tcs+:Tcs];
  end
  // The queue number tells the VC at a link port, the TC at a NIC port.
  always_comb begin
    for (int t = 0; t < Tcs; t++) begin
      served_tc[t] = serve_valid_q && serve_queue_q != DropNumber
                  && (32'(serve_queue_q[QueueBits-1:xt_pkg::VcBits]) < Links
                      ? tc_of(serve_queue_q[xt_pkg::VcBits-1:0]) == t[xt_pkg::TcBits-1:0]
                      : serve_queue_q[xt_pkg::VcBits-1:0] == t[xt_pkg::VcBits-1:0]);
    end
  end
  always_ff @(posedge clk_i) begin
    waits_q         <= rst_ni ? waits_for_credit : '0;
    waits_at_nic_q  <= rst_ni ? no_credit[Links*Vcs+:xt_pkg::NicPorts*Tcs] : '0;
    stalled_grant_q <= rst_ni ? could_start : '0;
  end
  assign stall_grant_o = stalled_grant_q & ~served_tc;

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
    .enqueue_escape_i  (e_escape_q),
    .enqueue_requeued_i(requeue),
    .nonempty_o        (nonempty),
    .class_o           (head_class),
    .short_o           (short_of),
    .short_next_o      (short_next),
    .retry_mask_o      (retry_mask),
    .head_from_next_o  (head_from_next),
    .busy_next_o       (busy_next),
    .serve_next_i      (serve_queue),
    .serve_i           (serve_q),
    .serve_queue_i     (serve_queue_q),
    .serve_from_next_i (serve_from_next_q),
    .serve_valid_i     (serve_valid_q),
    .serve_first_i     (serve_first_q),
    .serve_output_i    (serve_output_q),
    .serve_vc_i        (serve_vc_q),
    .requeue_i         (serve_requeue_q),
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

  assign active_o           = buffer_active | head_q | requeue_waits | requeue_pending_q;
  assign stream_o           = serve_output_q;
  assign stream_continues_o = busy_next;
  assign output_o           = cell_output;
  assign credit_o           = cell_valid;
  assign queued_o           = nonempty != '0;
  assign waiting_o          = free_o != xt_pkg::BufferCells[xt_pkg::CellAddrBits:0];
  assign served_o           = cell_valid;

`ifdef XT_ASSERT
  logic [xt_pkg::VcBits-1:0] announced_q;
  logic [xt_pkg::Ports-1:0]  long_of_match;  // the packet of a match has, or may have, more than one cell
  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_long
    localparam int First = first_queue(o);
    localparam int Count = queue_count(o);
    assign long_of_match[o] = (pick[First+:Count] & ~short_of[First+:Count]) != '0;
  end
  always_ff @(posedge clk_i) begin
    announced_q <= due_vc;
    if (rst_ni) begin
      input_unit_vc_of_a_head_was_announced : assert (!head || vc_i == announced_q);
      for (int o = 0; o < xt_pkg::Ports; o++) begin
        input_unit_tells_of_long_packets : assert (!match_i[o] || long_q[o] || long_of_match[o] == '0);
      end
    end
  end
`endif

endmodule

`default_nettype wire
