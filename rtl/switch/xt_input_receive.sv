// SPDX-License-Identifier: Apache-2.0
//
// Receives the cells of one input, looks up the route of each packet, chooses output and VC, and tells the queue.
//
// Adaptive routing (Duato), for a packet of a TC with an adaptive VC that comes from a NIC or on that VC. The
// packet may take the adaptive VC at any port in the mask of its entry but that of its arrival. The first of the groups group*_i with
// a usable candidate serves: low candidates first, round robin inside a range. If no candidate is usable, the packet
// takes its deterministic output and VC.
//
// A packet with an illegal route goes to a queue of its own: the entry is not valid, or names a port or VC that does
// not exist, or an output that is not allowed. Nor is such an output a candidate.
//
// Latency: 1 cycle from valid_i to enqueue_o. A lookup takes LookupCycles cycles before valid_i.
// Speed: the choice of the adaptive candidate, whose route comes last.
// Why its processes are always @*: rtl/README.md.
`default_nettype none

module xt_input_receive #(
  /// Number of this port.
  parameter int Port = 0,
  /// Outputs that packets of this port may take.
  parameter logic [xt_pkg::Ports-1:0] Allowed = {xt_pkg::Ports{1'b1}},
  /// Number of queues: Vcs per link port, Tcs per NIC port, and the one for illegal routes.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1,
  /// Bits of a queue's number: the port on top, below the VC at a link port or the traffic class at a NIC port. The
  /// queue of illegal routes has one port number more.
  localparam int QueueBits = $clog2(xt_pkg::Ports + 1) + xt_pkg::VcBits,
  /// Bits of an escape.
  localparam int EscapeBits = xt_pkg::Ports + xt_pkg::Vcs
) (
  /// Clock.
  input  logic                                     clk_i,
  /// Reset, active low, synchronous.
  input  logic                                     rst_ni,
  /// VC of the cell that may be at valid_i LookupCycles from now; a header is always announced.
  input  logic [               xt_pkg::VcBits-1:0] lookahead_vc_i,
  /// Destination in that cell, if the cell is a header.
  input  logic [               xt_pkg::IdBits-1:0] lookahead_dest_i,
  /// Bypass: the next head. Timing: arrives late.
  input  logic                                     lookahead_other_i,
  /// VC of the bypass.
  input  logic [               xt_pkg::VcBits-1:0] lookahead_other_vc_i,
  /// Destination of the bypass.
  input  logic [               xt_pkg::IdBits-1:0] lookahead_other_dest_i,
  /// A head may come.
  input  logic                                     lookahead_valid_i,
  /// A cell arrives.
  input  logic                                     valid_i,
  /// The VC that the packet came on.
  input  logic [               xt_pkg::VcBits-1:0] vc_i,
  /// The cell, without poison. Only a header's fields are looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [             xt_pkg::CellBits-1:0] cell_i,
  // verilator lint_on UNUSEDSIGNAL
  /// The card's own address.
  input  logic [               xt_pkg::IdBits-1:0] own_i,
  /// Per TC: 1 = local first.
  input  logic [                  xt_pkg::Tcs-1:0] order_i,
  /// Per TC: address bits to compare.
  input  logic [   xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_i,
  /// Write an entry of the GRT.
  input  logic                                     grt_we_i,
  /// Write an entry of the LRT.
  input  logic                                     lrt_we_i,
  /// Word of an entry to write or read.
  input  logic [xt_pkg::TableAddrBits-1:0] index_i,
  /// Value to write.
  input  logic [      xt_pkg::EntryStoredBits-1:0] wdata_i,
  /// Read an entry; with BlockRamOnly, when no cell comes.
  input  logic                                     table_read_i,
  /// The entry is one of the GRT.
  input  logic                                     table_read_grt_i,
  /// With BlockRamOnly: the entry is read in this cycle.
  output logic                                     table_grant_o,
  /// Entry read in the previous cycle, zero without a read.
  output logic [      xt_pkg::EntryStoredBits-1:0] table_rdata_o,
  /// Usable candidates of the next cycle: the port is in a group, and its adaptive VC is not too full. Bit t*LinkPorts + p:
  /// TC t, link port p.
  input  logic [xt_pkg::Tcs*xt_pkg::LinkPorts-1:0] usable_i,
  /// In the next cycle an adaptive VC in the low range.
  input  logic [xt_pkg::Tcs*xt_pkg::LinkPorts-1:0] low_i,
  /// Candidates to be tried first.
  input  logic [            xt_pkg::LinkPorts-1:0] group0_i,
  /// Candidates to be tried if there is none of group 0; then come all others.
  input  logic [            xt_pkg::LinkPorts-1:0] group1_i,
  /// Rings, per link port: 12 bits as in the RING register.
  input  logic [         xt_pkg::LinkPorts*12-1:0] ring_i,
  /// Where the rings of VC 1 to 3 come from, per link port: 12 bits as in the VC_RING_FROM register.
  input  logic [         xt_pkg::LinkPorts*12-1:0] vc_ring_from_i,
  /// The cell at valid_i is the first of its packet.
  output logic                                     head_o,
  /// The cell is the last of its packet.
  output logic                                     last_o,
  /// With the head: length of its packet, minus one.
  output logic [              xt_pkg::LenBits-1:0] len_o,
  /// With the head: the packet enters a ring.
  output logic                                     enters_o,
  /// Escape of the packet under requeue: output and VC, both one-hot; zero while the packet cannot be enqueued.
  input  logic [                   EscapeBits-1:0] requeue_escape_i,
  /// That packet is enqueued in this cycle.
  input  logic                                     requeue_i,
  /// VC that the packet came on.
  input  logic [               xt_pkg::VcBits-1:0] requeue_vc_i,
  /// Enqueue the packet whose head came in the last cycle, or that under requeue.
  output logic                                     enqueue_o,
  /// Queue of the packet, as a number.
  output logic [                    QueueBits-1:0] enqueue_queue_o,
  /// Queue of the packet, one-hot; zero without enqueue_o.
  output logic [                       Queues-1:0] enqueue_onehot_o,
  /// Escape of the packet whose head came last.
  output logic [                   EscapeBits-1:0] escape_o,
  /// A cell was received in the last cycle.
  output logic                                     received_o,
  /// The received cell was the first of its packet.
  output logic                                     received_first_o,
  /// Traffic class of the received cell.
  output logic [               xt_pkg::TcBits-1:0] received_tc_o,
  /// A pulse: a packet is dropped for want of a route.
  output logic                                     illegal_o,
  /// A pulse: the packet is dropped because its table entry is damaged.
  output logic                                     damaged_o,
  /// Header of the dropped packet, or as much as 64 bits hold.
  output logic [                             63:0] header_o,
  /// A head came in the last cycle.
  output logic                                     active_o
);

  localparam int DropQueue = Queues - 1;
  localparam logic [QueueBits-1:0] DropNumber = QueueBits'(xt_pkg::Ports * 2 ** xt_pkg::VcBits);
  localparam int Links = xt_pkg::LinkPorts;
  localparam int Vcs = xt_pkg::Vcs;
  localparam int Tcs = xt_pkg::Tcs;
  localparam logic [Vcs*8-1:0] VcTc = xt_pkg::VcTc;
  localparam logic [Tcs-1:0] AdaptiveTcs = adaptive_tcs();

  function automatic logic [xt_pkg::TcBits-1:0] tc_of(input logic [xt_pkg::VcBits-1:0] vc);
    tc_of = '0;
    for (int v = 0; v < Vcs; v++) begin
      if (vc == v[xt_pkg::VcBits-1:0]) tc_of = tc_of | xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
    end
  endfunction
  // TCs with an adaptive VC.
  function automatic logic [Tcs-1:0] adaptive_tcs();
    adaptive_tcs = '0;
    for (int v = 0; v < Vcs; v++) if (xt_pkg::VcAdaptive[v]) adaptive_tcs[VcTc[v*8+:xt_pkg::TcBits]] = 1'b1;
  endfunction

  // ---------------------------------------------------------------- route, from two cycles before
  logic [xt_pkg::EntryTcBits-1:0] route;
  logic                           route_damaged;  // of the route in the last cycle
  logic                           lookup;
  // TCs of the cells announced.
  logic [     xt_pkg::TcBits-1:0] lookahead_tc, other_tc;

  always @* begin : announced
    int v;
    v            = 0;
    lookahead_tc = '0;
    other_tc     = '0;
    if (xt_pkg::NoSkip != 0 || Port >= Links || lookahead_valid_i) begin
      for (v = 0; v < Vcs; v = v + 1) begin
        if (lookahead_vc_i == v[xt_pkg::VcBits-1:0]) lookahead_tc = lookahead_tc | xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
        if (lookahead_other_vc_i == v[xt_pkg::VcBits-1:0]) other_tc = other_tc | xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
      end
    end
  end

  xt_route_table i_route_table (
    .clk_i,
    .dest_i       (lookahead_dest_i),
    .tc_i         (lookahead_tc),
    .other_i      (lookahead_other_i),
    .other_dest_i (lookahead_other_dest_i),
    .other_tc_i   (other_tc),
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
    .looks_i      (Port >= Links || lookahead_valid_i),
    .read_i       (table_read_i),
    .read_grt_i   (table_read_grt_i),
    .read_grant_o (table_grant_o),
    .rdata_o      (table_rdata_o)
  );

  // ---------------------------------------------------------------- cycle 0: receive, choose output and VC
  logic                       in_packet_q;
  logic [xt_pkg::LenBits-1:0] left_q;  // cells still to come

  assign len_o  = cell_i[xt_pkg::HdrLenLsb+:xt_pkg::LenBits];
  assign head_o = valid_i & ~in_packet_q;
  assign last_o = in_packet_q ? (left_q == xt_pkg::LenBits'(1)) : (len_o == '0);

  // With a lookup of one cycle the next cell is a header unless this cycle's cell leaves its packet open.
  assign lookup = lookahead_valid_i & (xt_pkg::LookupCycles != 1 || (valid_i ? last_o : ~in_packet_q));

  // Values that depend on the VC of a head are ready before the head: lookahead_vc_i announced the VC.
  logic [xt_pkg::VcBits-1:0] due_vc;  // VC of the head that may come in the next cycle
  logic [           Tcs-1:0] due_tc, tc_onehot;  // traffic class of that head; of the head that may be at valid_i
  if (xt_pkg::LookupCycles == 2) begin : g_due
    always_ff @(posedge clk_i) due_vc <= lookahead_other_i ? lookahead_other_vc_i : lookahead_vc_i;
  end else begin : g_due_at_once
    assign due_vc = lookahead_other_i ? lookahead_other_vc_i : lookahead_vc_i;
  end
  logic [xt_pkg::TcBits-1:0] due_tc_number;
  assign due_tc_number = tc_of(due_vc);
  always @* begin
    for (int t = 0; t < Tcs; t++) due_tc[t] = due_tc_number == t[xt_pkg::TcBits-1:0];
  end
  always_ff @(posedge clk_i) tc_onehot <= due_tc;

  logic [  xt_pkg::Ports-1:0] det_port, out_port;  // one-hot
  logic [            Vcs-1:0] det_vc, out_vc;  // one-hot, through all TCs
  logic [          Links-1:0] chosen;
  logic                       legal, adapts;  // legal: if the entry has no wrong bit; adapts: if legal

  always @* begin : decode
    int v, o;
    v        = 0;
    o        = 0;
    det_port = '0;
    det_vc   = '0;
    legal    = 1'b0;
    if (xt_pkg::NoSkip != 0 || head_o) begin
      for (v = 0; v < Vcs; v = v + 1) begin
        if (tc_onehot[xt_pkg::VcTc[v*8+:xt_pkg::TcBits]]
            && 8'(route[xt_pkg::EntryVcLsb+:xt_pkg::EntryVcBits])
               == 8'(v) - xt_pkg::TcFirstVc[32'(xt_pkg::VcTc[v*8+:xt_pkg::TcBits])*8+:8]) begin
          det_vc[v] = 1'b1;
        end
      end
      for (o = 0; o < xt_pkg::Ports; o = o + 1) begin
        det_port[o] = Allowed[o] && route[xt_pkg::EntryPortLsb+:xt_pkg::EntryPortBits] == o[xt_pkg::EntryPortBits-1:0];
      end
    end
    if (route[xt_pkg::EntryValidBit]) begin
      legal = (det_port[xt_pkg::Ports-1:Links] != '0) || (det_port[Links-1:0] != '0 && det_vc != '0);
    end
  end

  if (xt_pkg::HasAdaptive != 0) begin : g_adaptive
    // No candidate leads back by the link of arrival.
    localparam logic [Links-1:0] Onward = Links'(~(1 << Port));
    logic [Links-1:0] candidates, usable, low, usable_q, low_q;
    logic             due_may, may_q;

    assign due_may = (Port >= Links) ? (due_tc & AdaptiveTcs) != '0
                                     : (xt_pkg::VcAdaptive & (Vcs'(1) << due_vc)) != '0;

    always @* begin
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
    assign candidates = usable_q & route[xt_pkg::EntryMaskLsb+:Links] & Onward;
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
      .take_i      (head_o && legal && adapts),
      .chosen_o    (chosen)
    );
  end else begin : g_deterministic
    assign chosen = '0;
    assign adapts = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{usable_i, low_i, group0_i, group1_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  always @* begin : choose
    int v;
    v        = 0;
    out_port = det_port;
    out_vc   = det_vc;
    if (adapts) begin
      for (v = 0; v < Vcs; v = v + 1) out_vc[v] = xt_pkg::VcAdaptive[v] & tc_onehot[xt_pkg::VcTc[v*8+:xt_pkg::TcBits]];
      out_port = {{xt_pkg::NicPorts{1'b0}}, chosen} & Allowed;
    end
  end

  // Whether the packet enters a ring by the deterministic way; bubble profiles have no other.
  if (xt_pkg::Bubble != 0) begin : g_bubble
    logic [Links-1:0] from_here;  // the ring that the packet's VC has at an output comes from this port

    if (xt_pkg::HasVcRings != 0) begin : g_vc_rings
      logic [Links*16-1:0] all_from;  // 4 bits for each VC of a TC

      for (genvar o = 0; o < Links; o++) begin : g_from
        assign all_from[o*16+:16] = {vc_ring_from_i[o*12+:12], ring_i[o*12+:4]};
      end
      always @* begin
        from_here = '0;
        for (int o = 0; o < Links; o++) begin
          for (int v = 0; v < Vcs; v++) begin
            if (det_vc[v]
                && all_from[o*16+(32'(v)-32'(xt_pkg::TcFirstVc[32'(xt_pkg::VcTc[v*8+:8])*8+:8]))*4+:4] == 4'(Port))
              from_here[o] = 1'b1;
          end
        end
      end
    end else begin : g_one_ring
      always @* begin
        for (int o = 0; o < Links; o++) from_here[o] = ring_i[o*12+:4] == 4'(Port);
      end
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ^vc_ring_from_i;
      // verilator lint_on UNUSEDSIGNAL
    end

    always @* begin
      enters_o = 1'b0;
      for (int o = 0; o < Links; o++) begin
        for (int v = 0; v < Vcs; v++) begin
          if (det_port[o] && det_vc[v]
              && ring_i[o*12+4+32'(v)-32'(xt_pkg::TcFirstVc[32'(xt_pkg::VcTc[v*8+:8])*8+:8])]) enters_o = 1'b1;
        end
      end
      for (int o = 0; o < Links; o++) begin
        for (int v = 0; v < Vcs; v++) begin
          if (det_port[o] && from_here[o] && vc_i == v[xt_pkg::VcBits-1:0]
              && ring_i[o*12+8+32'(v)-32'(xt_pkg::TcFirstVc[32'(xt_pkg::VcTc[v*8+:8])*8+:8])]) enters_o = 1'b0;
        end
      end
    end
  end else begin : g_no_bubble
    assign enters_o = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^ring_i | ^vc_ring_from_i;
    // verilator lint_on UNUSEDSIGNAL
  end

  logic                       head_q;
  logic [  xt_pkg::Ports-1:0] e_port_q;  // zero without a head, or if the head has no route
  logic [            Vcs-1:0] e_vc_onehot_q;
  logic [            Tcs-1:0] e_tc_onehot_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_packet_q      <= 1'b0;
      received_o       <= 1'b0;
      received_first_o <= 1'b0;
      head_q           <= 1'b0;
      e_port_q         <= '0;
    end else begin
      received_o       <= valid_i;
      received_first_o <= head_o;
      head_q           <= head_o;
      e_port_q         <= (head_o && legal) ? out_port : '0;
      if (valid_i) in_packet_q <= ~last_o;
    end
    if (valid_i) begin
      left_q        <= in_packet_q ? left_q - 1'b1 : len_o;
      received_tc_o <= tc_of(vc_i);
    end
    if (head_o) begin
      header_o      <= 64'(cell_i);
      e_vc_onehot_q <= out_vc;
      e_tc_onehot_q <= tc_onehot;
      escape_o      <= {det_port, det_vc};
    end
  end

  // ---------------------------------------------------------------- cycle 1: enqueue
  logic                     drop;  // no route, or a damaged one
  logic [xt_pkg::Ports-1:0] e_port;
  logic [xt_pkg::Ports-1:0] requeue_port;  // output of the packet under requeue, zero without one
  logic [          Vcs-1:0] requeue_vc_onehot;
  logic [          Tcs-1:0] requeue_tc_onehot;

  logic [xt_pkg::VcBits-1:0] e_vc, e_tc, requeue_vc, requeue_tc;
  logic [xt_pkg::TcBits-1:0] requeue_tc_number;
  logic [QueueBits-xt_pkg::VcBits-1:0] port;

  assign damaged_o         = head_q & route_damaged;
  // Not `legal` one cycle later: after an upset the choice among adaptive outputs may be empty for once.
  assign drop              = head_q & e_port == '0;
  assign illegal_o         = drop & ~route_damaged;
  assign e_port            = e_port_q & {xt_pkg::Ports{~route_damaged}};
  assign enqueue_o         = head_q | requeue_i;
  assign active_o          = head_q;
  assign requeue_tc_number = tc_of(requeue_vc_i);
  assign requeue_port      = requeue_escape_i[EscapeBits-1-:xt_pkg::Ports] & Allowed;
  assign requeue_vc_onehot = requeue_escape_i[Vcs-1:0];

  always @* begin : enqueue
    int t, o, v;
    t                 = 0;
    o                 = 0;
    v                 = 0;
    requeue_tc_onehot = '0;
    enqueue_onehot_o  = '0;
    enqueue_queue_o   = '0;
    e_vc              = '0;
    e_tc              = '0;
    requeue_vc        = '0;
    requeue_tc        = '0;
    port              = '0;
    if (xt_pkg::NoSkip != 0 || enqueue_o) begin
      for (t = 0; t < Tcs; t = t + 1) requeue_tc_onehot[t] = requeue_tc_number == t[xt_pkg::TcBits-1:0];
      // One output at most is not zero, so these are not chosen from but joined.
      for (o = 0; o < Links; o = o + 1) begin
        enqueue_onehot_o[o*Vcs+:Vcs] = ({Vcs{e_port[o]}} & e_vc_onehot_q) | ({Vcs{requeue_port[o]}} & requeue_vc_onehot);
      end
      for (o = Links; o < xt_pkg::Ports; o = o + 1) begin
        enqueue_onehot_o[Links*Vcs+(o-Links)*Tcs+:Tcs] = ({Tcs{e_port[o]}} & e_tc_onehot_q)
                                                       | ({Tcs{requeue_port[o]}} & requeue_tc_onehot);
      end
      for (o = 0; o < xt_pkg::Ports; o = o + 1) begin
        if (e_port[o] || requeue_port[o]) port = port | o[QueueBits-xt_pkg::VcBits-1:0];
      end
      for (v = 0; v < Vcs; v = v + 1) begin
        if (e_vc_onehot_q[v]) e_vc = e_vc | v[xt_pkg::VcBits-1:0];
        if (requeue_vc_onehot[v]) requeue_vc = requeue_vc | v[xt_pkg::VcBits-1:0];
      end
      for (t = 0; t < Tcs; t = t + 1) begin
        if (e_tc_onehot_q[t]) e_tc = e_tc | t[xt_pkg::VcBits-1:0];
        if (requeue_tc_onehot[t]) requeue_tc = requeue_tc | t[xt_pkg::VcBits-1:0];
      end
      enqueue_onehot_o[DropQueue] = drop;
      enqueue_queue_o             = (drop ? DropNumber : '0) | {port, {xt_pkg::VcBits{1'b0}}};
      if (e_port[Links-1:0] != '0) enqueue_queue_o = enqueue_queue_o | QueueBits'(e_vc);
      if (e_port[xt_pkg::Ports-1:Links] != '0) enqueue_queue_o = enqueue_queue_o | QueueBits'(e_tc);
      if (requeue_port[Links-1:0] != '0) enqueue_queue_o = enqueue_queue_o | QueueBits'(requeue_vc);
      if (requeue_port[xt_pkg::Ports-1:Links] != '0) enqueue_queue_o = enqueue_queue_o | QueueBits'(requeue_tc);
    end
  end

`ifdef XT_ASSERT
  logic [xt_pkg::VcBits-1:0] announced_q;
  logic                      illegal_q;
  always_ff @(posedge clk_i) begin
    announced_q <= due_vc;
    illegal_q   <= head_o & ~legal;
    if (rst_ni) begin
      input_unit_vc_of_a_head_was_announced : assert (!head_o || vc_i == announced_q);
      input_unit_legal_route_has_an_output : assert (!head_q || drop == (illegal_q | route_damaged));
    end
  end
`endif

endmodule

`default_nettype wire
