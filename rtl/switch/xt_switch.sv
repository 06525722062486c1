// SPDX-License-Identifier: Apache-2.0
//
// Input-queued virtual cut-through switch: an input unit per port, a switch allocator (iSLIP), a crossbar of one cell
// per port and cycle, and an output unit per port, with its credits. All ports are alike here; links and NIC adapters are outside.
//
// Latency: 5 cycles from the head at valid_i to the head at valid_o. The route lookup takes the 2 cycles
// before, from lookahead_*:
//   0 output and VC chosen, cell written   1 queued, request made   2 switch allocator
//   3 head read: the cell's address        4 cell memory read       (5: at valid_o; the cell crosses)
// With a register in front of the crossbar (crossbar_register of the profile) it is 6 cycles.
//
// Virtual cut-through: a packet starts only if the buffer behind the output has credit for the whole packet, on its
// VC. From then on the packet owns input and output until its last cell has passed.
//
// Speed: xt_switch_allocator, and behind the allocator the queue of the match.
`default_nettype none

module xt_switch #(
  /// Number of queues of an input unit.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1,
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1),
  /// Bits of a number of length classes.
  localparam int CreditOkBits = ((xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 0) + 1,
  /// Bits of a cell inside the switch: with a link layer, the poison bit is on top.
  localparam int StoredBits = xt_pkg::CellBits + xt_pkg::HasLinkLayer
) (
  /// Clock.
  input  logic                                      clk_i,
  /// Reset, active low, synchronous.
  input  logic                                      rst_ni,
  /// Initialisation of tables and free cells.
  input  logic                                      init_i,
  /// Initialisation: the index.
  input  logic [                              15:0] init_addr_i,

  /// A port outside has something to do, or settings may change.
  input  logic [                 xt_pkg::Ports-1:0] wake_i,
  /// Clock of each port, here and outside, from xt_clock_gate.
  output logic [                 xt_pkg::Ports-1:0] port_clk_o,

  /// VC of the cell that may arrive in 2 cycles.
  input  logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] lookahead_vc_i,
  /// Destination in that cell, if the cell is a header.
  input  logic [  xt_pkg::Ports*xt_pkg::IdBits-1:0] lookahead_dest_i,
  /// Bypass: the next head. Timing: arrives late.
  input  logic [                 xt_pkg::Ports-1:0] lookahead_other_i,
  /// VC of the bypass.
  input  logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] lookahead_other_vc_i,
  /// Destination of the bypass.
  input  logic [  xt_pkg::Ports*xt_pkg::IdBits-1:0] lookahead_other_dest_i,
  /// A head may come.
  input  logic [                 xt_pkg::Ports-1:0] lookahead_valid_i,
  /// A cell arrives at a port.
  input  logic [                 xt_pkg::Ports-1:0] valid_i,
  /// VC of the cell.
  input  logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] vc_i,
  /// The cell.
  input  logic [       xt_pkg::Ports*StoredBits-1:0] cell_i,
  /// A cell that came in at a port was freed.
  output logic [                 xt_pkg::Ports-1:0] credit_o,
  /// The VC that the cell had come on.
  output logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] credit_vc_o,

  /// A cell leaves by a port.
  output logic [                 xt_pkg::Ports-1:0] valid_o,
  /// VC of the cell, at link ports.
  output logic [xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] vc_o,
  /// The cell.
  output logic [       xt_pkg::Ports*StoredBits-1:0] cell_o,
  /// A cell that left by a port was freed in the next buffer.
  input  logic [                 xt_pkg::Ports-1:0] credit_i,
  /// VC of the credit, at link ports.
  input  logic [xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] credit_vc_i,

  /// Start no packet to a port.
  input  logic [                 xt_pkg::Ports-1:0] hold_i,
  /// The link is down and drops cells, so credit_ok allows all packets.
  input  logic [             xt_pkg::LinkPorts-1:0] down_i,
  /// The buffer at the other end of a link is empty, and no cell is on its way there.
  input  logic [             xt_pkg::LinkPorts-1:0] restart_i,
  /// Adaptive routing: selection function.
  input  logic [                               1:0] select_i,
  /// Adaptive routing: below so many cells used a VC is in the low range.
  input  logic [                              15:0] low_i,
  /// Adaptive routing: from so many cells on a VC is no candidate.
  input  logic [                              15:0] high_i,
  /// Adaptive routing: internal links.
  input  logic [             xt_pkg::LinkPorts-1:0] internal_i,
  /// Adaptive routing: links of the split dimension.
  input  logic [             xt_pkg::LinkPorts-1:0] middle_i,
  /// Adaptive routing: cycles from one escape to the next.
  input  logic [                              15:0] patience_i,
  /// Cycles for which packets from a NIC give way to packets from links.
  input  logic [                              15:0] inject_wait_i,
  /// Shared cells free behind a link below which packets that enter the network or the link's ring do not start.
  input  logic [                              15:0] inject_room_i,
  /// Link ports whose packets enter the ring of a link from the next clock edge on: bit output*LinkPorts + port.
  input  logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_next_i,
  /// Rings, per link port: 12 bits as in the RING register.
  input  logic [          xt_pkg::LinkPorts*12-1:0] ring_i,
  /// Where the rings of VC 1 to 3 come from, per link port: 12 bits as in the VC_RING_FROM register.
  input  logic [          xt_pkg::LinkPorts*12-1:0] vc_ring_from_i,
  /// Weights of the TCs of each output, 4 bits each.
  input  logic [      xt_pkg::Ports*xt_pkg::Tcs*4-1:0] weight_i,

  /// The card's own address.
  input  logic [                xt_pkg::IdBits-1:0] own_i,
  /// Per TC: 1 = local first.
  input  logic [                   xt_pkg::Tcs-1:0] order_i,
  /// Per TC: address bits to compare.
  input  logic [    xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_i,
  /// Write an entry of the GRT, per input port.
  input  logic [                 xt_pkg::Ports-1:0] grt_we_i,
  /// Write an entry of the LRT, per input port.
  input  logic [                 xt_pkg::Ports-1:0] lrt_we_i,
  /// Word of an entry to write or read.
  input  logic [xt_pkg::TableAddrBits-1:0] index_i,
  /// Value to write.
  input  logic [             xt_pkg::EntryStoredBits-1:0] wdata_i,
  /// Read an entry of a port's table; with BlockRamOnly, when no cell comes there.
  input  logic [                 xt_pkg::Ports-1:0] table_read_i,
  /// The entry is one of the GRT.
  input  logic                                      table_read_grt_i,
  /// With BlockRamOnly: the entry is read in this cycle.
  output logic [                 xt_pkg::Ports-1:0] table_grant_o,
  /// Entry read two cycles ago, zero without a read.
  output logic [   xt_pkg::EntryStoredBits-1:0] table_rdata_o,

  /// A cell was received in the last cycle.
  output logic [                 xt_pkg::Ports-1:0] received_o,
  /// The received cell was the first of its packet.
  output logic [                 xt_pkg::Ports-1:0] received_first_o,
  /// Traffic class of the received cell.
  output logic [  xt_pkg::Ports*xt_pkg::TcBits-1:0] received_tc_o,
  /// The cell at valid_o is the first of its packet.
  output logic [                 xt_pkg::Ports-1:0] sent_first_o,
  /// Traffic class of the cell at valid_o.
  output logic [  xt_pkg::Ports*xt_pkg::TcBits-1:0] sent_tc_o,
  /// Per port and TC: a packet waits for credits of the next buffer.
  output logic [     xt_pkg::Ports*xt_pkg::Tcs-1:0] stall_credit_o,
  /// Per port and TC: a packet could start and was not matched.
  output logic [     xt_pkg::Ports*xt_pkg::Tcs-1:0] stall_grant_o,
  /// A pulse: a packet is dropped for want of a route.
  output logic [                 xt_pkg::Ports-1:0] illegal_o,
  /// A pulse: the switch drops a packet because its table entry is damaged.
  output logic [                 xt_pkg::Ports-1:0] damaged_o,
  /// The last header received, or as much as 64 bits hold.
  output logic [              xt_pkg::Ports*64-1:0] header_o,
  /// A cell is in the input buffer.
  output logic [                 xt_pkg::Ports-1:0] waiting_o,
  /// A cell leaves the input buffer.
  output logic [                 xt_pkg::Ports-1:0] served_o,
  /// A packet is leaving by a port, or a cell that left is not credited.
  output logic [                 xt_pkg::Ports-1:0] sending_o,
  /// Free cells of each input buffer.
  output logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] free_o,
  /// Read-out of credits: a VC of each link port.
  input  logic [xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] read_vc_i,
  /// Read-out of credits: cells sent by each port on that VC and not credited.
  output logic [       xt_pkg::Ports*CountBits-1:0] read_used_o,
  /// Something is in flight inside.
  output logic                                      active_o
);

  // Bits of a cell that cross together: the width of a block RAM, or half of it where link layers crowd the wires.
  localparam int SliceBits = (xt_pkg::HasLinkLayer != 0 && xt_pkg::NoSkip != 0) ? 18 : 36;
  localparam int Slices = (StoredBits + SliceBits - 1) / SliceBits;
  // Links by which packets that came in there never leave, and the pairs of input and output that they would pass.
  localparam int NoTurns = (xt_pkg::UTurns == 0) ? xt_pkg::LinkPorts : 0;
  localparam logic [xt_pkg::Ports*xt_pkg::Ports-1:0] Turns =
      (xt_pkg::Ports * xt_pkg::Ports)'({xt_pkg::LinkPorts{(xt_pkg::Ports + 1)'(NoTurns != 0)}});
  localparam int SelectBits = (xt_pkg::Ports > 5) ? (xt_pkg::Ports + 5) / 2 : xt_pkg::Ports;  // as xt_crossbar_select

  logic [              xt_pkg::Ports*xt_pkg::Ports-1:0] request, match;
  logic [              xt_pkg::Ports*xt_pkg::Ports-1:0] may_continue, stream, to_output;
  logic [                            xt_pkg::Ports-1:0] stream_continues, drops, first, active;
  logic [                            xt_pkg::Ports-1:0] input_starts, output_starts, streams, input_free_q, output_free_q;
  logic [                            xt_pkg::Ports-1:0] queued, matched, insists, gives_way, goes_on;
  logic [              xt_pkg::Ports*xt_pkg::Ports-1:0] gives_way_at, held_back;
  logic [                        xt_pkg::LinkPorts-1:0] crowded_next;
  logic [                 xt_pkg::Ports*SelectBits-1:0] crossbar_select;
  logic [                  xt_pkg::Ports*StoredBits-1:0] x_cell;
  logic [             xt_pkg::Ports*xt_pkg::VcBits-1:0] x_vc;
  logic [            xt_pkg::Ports*xt_pkg::LenBits-1:0] x_len;
  logic [                          CreditOkBits*Queues-1:0] credit_ok;
  logic [                            xt_pkg::Ports-1:0] credits_busy;
  logic [                xt_pkg::Ports*xt_pkg::Tcs-1:0] block_q;
  logic [  xt_pkg::Ports*xt_pkg::Ports*xt_pkg::Tcs-1:0] wanted;
  logic [                xt_pkg::Ports*xt_pkg::Tcs-1:0] wanted_of_any;

  // ---------------------------------------------------------------- adaptive routing
  logic [xt_pkg::Tcs*xt_pkg::LinkPorts-1:0] usable_q, low_q;
  logic [            xt_pkg::LinkPorts-1:0] group0_q, group1_q, grouped;  // the last: in any group
  logic                                     tick_q;

  if (xt_pkg::HasAdaptive != 0) begin : g_adaptive
    logic [                 15:0] patience_q;
    logic [xt_pkg::LinkPorts-1:0] group0, group1;

    always_comb begin
      group0 = '1;
      group1 = '0;
      case (select_i)
        2'd0: ;
        2'd1: group0 = ~internal_i;
        2'd2: begin
          group0 = ~internal_i;
          group1 = internal_i;
        end
        default: begin
          group0 = ~internal_i & ~middle_i;
          group1 = middle_i & ~internal_i;
        end
      endcase
    end
    assign grouped = (select_i == 2'd1) ? ~internal_i : '1;

    always_ff @(posedge clk_i) begin
      group0_q <= group0;
      group1_q <= group1;
      if (!rst_ni) begin
        patience_q <= '0;
        tick_q     <= 1'b0;
      end else begin
        // Time stands still while nothing waits, so that an idle card has no state that moves.
        if (tick_q || waiting_o == '0) patience_q <= '0;
        else patience_q <= patience_q + 1'b1;
        tick_q <= waiting_o != '0 && !tick_q && patience_q >= patience_i;
      end
    end
  end else begin : g_deterministic
    assign tick_q   = 1'b0;
    assign group0_q = '0;
    assign group1_q = '0;
    assign grouped  = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{select_i, internal_i, middle_i, patience_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  // ---------------------------------------------------------------- inputs and switch allocator
  logic [xt_pkg::Ports*xt_pkg::EntryStoredBits-1:0] table_rdata;

  for (genvar i = 0; i < xt_pkg::Ports; i++) begin : g_input
    xt_input_unit #(
      .Port(i)
    ) i_input_unit (
      .clk_i(port_clk_o[i]), .rst_ni, .init_i, .init_addr_i,
      .lookahead_vc_i        (lookahead_vc_i[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .lookahead_dest_i      (lookahead_dest_i[i*xt_pkg::IdBits+:xt_pkg::IdBits]),
      .lookahead_other_i     (lookahead_other_i[i]),
      .lookahead_other_vc_i  (lookahead_other_vc_i[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .lookahead_other_dest_i(lookahead_other_dest_i[i*xt_pkg::IdBits+:xt_pkg::IdBits]),
      .lookahead_valid_i     (lookahead_valid_i[i]),
      .valid_i               (valid_i[i]),
      .vc_i                  (vc_i[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .cell_i                (cell_i[i*StoredBits+:StoredBits]),
      .credit_o              (credit_o[i]),
      .credit_vc_o           (credit_vc_o[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .own_i, .order_i, .mask_i,
      .grt_we_i              (grt_we_i[i]),
      .lrt_we_i              (lrt_we_i[i]),
      .index_i,
      .wdata_i,
      .table_read_i          (table_read_i[i]),
      .table_read_grt_i,
      .table_grant_o         (table_grant_o[i]),
      .table_rdata_o         (table_rdata[i*xt_pkg::EntryStoredBits+:xt_pkg::EntryStoredBits]),
      .credit_ok_i           (credit_ok),
      .block_i               (block_q),
      .usable_i(usable_q), .low_i(low_q),
      .group0_i(group0_q), .group1_i(group1_q),
      .tick_i                (tick_q),
      .ring_i, .vc_ring_from_i,
      .request_o             (request[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .long_o                (may_continue[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .match_i               (match[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .busy_i                (~input_free_q[i]),
      .gives_way_i           (gives_way_at[i*xt_pkg::Ports+:xt_pkg::Ports]), .insists_o(insists[i]),
      .stream_o              (stream[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .stream_continues_o    (stream_continues[i]),
      .drops_o               (drops[i]),
      .wanted_o              (wanted[i*xt_pkg::Ports*xt_pkg::Tcs+:xt_pkg::Ports*xt_pkg::Tcs]),
      .output_o              (to_output[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .first_o               (first[i]),
      .cell_o                (x_cell[i*StoredBits+:StoredBits]),
      .vc_o                  (x_vc[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .len_o                 (x_len[i*xt_pkg::LenBits+:xt_pkg::LenBits]),
      .received_o            (received_o[i]),
      .received_first_o      (received_first_o[i]),
      .received_tc_o         (received_tc_o[i*xt_pkg::TcBits+:xt_pkg::TcBits]),
      .stall_credit_o        (stall_credit_o[i*xt_pkg::Tcs+:xt_pkg::Tcs]),
      .stall_grant_o         (stall_grant_o[i*xt_pkg::Tcs+:xt_pkg::Tcs]),
      .illegal_o             (illegal_o[i]),
      .damaged_o             (damaged_o[i]),
      .header_o              (header_o[i*64+:64]),
      .waiting_o             (waiting_o[i]),
      .queued_o              (queued[i]),
      .served_o              (served_o[i]),
      .free_o                (free_o[i*(xt_pkg::CellAddrBits+1)+:xt_pkg::CellAddrBits+1]),
      .active_o              (active[i])
    );
  end

  // At most one input's word is not zero. The words come from all over the card, so each pair has a
  // register. An exclusive OR joins them, because a plain OR would be rearranged so that an input's tables meet last.
  localparam int TablePairs = (xt_pkg::Ports + 1) / 2;
  logic [  TablePairs*xt_pkg::EntryStoredBits-1:0] table_pair_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < TablePairs; i++) begin
      table_pair_q[i*xt_pkg::EntryStoredBits+:xt_pkg::EntryStoredBits] <=
          table_rdata[2*i*xt_pkg::EntryStoredBits+:xt_pkg::EntryStoredBits]
        ^ ((2 * i + 1 < xt_pkg::Ports) ? table_rdata[(2*i+1)%xt_pkg::Ports*xt_pkg::EntryStoredBits+:xt_pkg::EntryStoredBits] : '0);
    end
  end
  always @* begin
    table_rdata_o = '0;
    for (int i = 0; i < TablePairs; i++)
      table_rdata_o = table_rdata_o ^ table_pair_q[i*xt_pkg::EntryStoredBits+:xt_pkg::EntryStoredBits];
  end

  xt_switch_allocator #(
    .Inputs    (xt_pkg::Ports),
    .Outputs   (xt_pkg::Ports),
    .Iterations(xt_pkg::IslipIterations),
    .FirstGiver(xt_pkg::LinkPorts),
    .Allowed   (~Turns)
  ) i_switch_allocator (
    .clk_i, .rst_ni,
    .request_i     (request),
    .held_back_i   (held_back),
    .goes_on_i     (goes_on),
    .input_free_i  (input_free_q),
    .output_free_i (output_free_q),
    .gives_way_i   (gives_way),
    .long_i        (may_continue),
    .match_o       (match),
    .matched_o     (matched),
    .input_starts_o (input_starts),
    .output_starts_o(output_starts)
  );

  xt_in_transit_priority i_in_transit_priority (
    .clk_i, .rst_ni,
    .wait_i          (inject_wait_i),
    .entrants_next_i,
    .crowded_next_i  (crowded_next),
    .queued_i        (queued),
    .matched_i       (matched), .insists_i(insists),
    .gives_way_o     (gives_way),
    .gives_way_at_o  (gives_way_at),
    .goes_on_o       (goes_on),
    .held_back_o     (held_back)
  );

  // An input or output is busy from a match until the started stream has one cell to go. So streams of one cell follow
  // each other without a gap.
  always @* begin
    streams       = '0;
    wanted_of_any = '0;
    for (int i = 0; i < xt_pkg::Ports; i++) begin
      streams       = streams | (stream[i*xt_pkg::Ports+:xt_pkg::Ports] & {xt_pkg::Ports{stream_continues[i]}});
      wanted_of_any = wanted_of_any | wanted[i*xt_pkg::Ports*xt_pkg::Tcs+:xt_pkg::Ports*xt_pkg::Tcs];
    end
  end
  always_ff @(posedge clk_i) begin
    input_free_q  <= ~(input_starts | drops | stream_continues);
    output_free_q <= ~(output_starts | streams);
  end

  // ---------------------------------------------------------------- crossbar and outputs
  // The cell memory holds the cell before its way over the card. A link or a NIC only writes it into a register or a memory.
  // So the register between is for cards whose wires to the crossbar are too many for their devices.
  logic [xt_pkg::Ports*xt_pkg::Ports-1:0] to_crossbar;
  logic [   xt_pkg::Ports*StoredBits-1:0] crossbar_cell;
  if (xt_pkg::CrossbarRegister != 0) begin : g_register
    for (genvar i = 0; i < xt_pkg::Ports; i++) begin : g_input
      always_ff @(posedge clk_i) begin
        to_crossbar[i*xt_pkg::Ports+:xt_pkg::Ports] <= to_output[i*xt_pkg::Ports+:xt_pkg::Ports];
        crossbar_cell[i*StoredBits+:StoredBits]     <= x_cell[i*StoredBits+:StoredBits];
      end
    end
  end else begin : g_no_register
    assign to_crossbar   = to_output;
    assign crossbar_cell = x_cell;
  end
  xt_crossbar_select #(.Inputs(xt_pkg::Ports), .Outputs(xt_pkg::Ports), .NoTurns(NoTurns))
    i_crossbar_select (.to_i(to_crossbar), .select_o(crossbar_select));
  for (genvar s = 0; s < Slices; s++) begin : g_slice
    localparam int First = s * SliceBits;
    localparam int Bits = (StoredBits - First < SliceBits) ? StoredBits - First : SliceBits;
    logic [xt_pkg::Ports*Bits-1:0] from_inputs, to_outputs;

    for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_port
      assign from_inputs[p*Bits+:Bits]            = crossbar_cell[p*StoredBits+First+:Bits];
      assign cell_o[p*StoredBits+First+:Bits]     = to_outputs[p*Bits+:Bits];
    end
    xt_crossbar #(.Inputs(xt_pkg::Ports), .Outputs(xt_pkg::Ports), .NoTurns(NoTurns), .Bits(Bits))
    i_crossbar (
      .clk_i,
      .input_i (from_inputs),
      .select_i(crossbar_select),
      .output_o(to_outputs)
    );
  end

  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_output
    localparam bit IsLink = o < xt_pkg::LinkPorts;
    localparam int First = IsLink ? o * xt_pkg::Vcs : xt_pkg::LinkPorts * xt_pkg::Vcs + (o - xt_pkg::LinkPorts) * xt_pkg::Tcs;
    localparam int Count = IsLink ? xt_pkg::Vcs : xt_pkg::Tcs;
    logic [            xt_pkg::Ports-1:0] from;
    logic [       Count*CreditOkBits-1:0] credit_ok_here;
    logic [           xt_pkg::VcBits-1:0] vc, credit_vc, read_vc;
    logic [              xt_pkg::Tcs-1:0] usable, low;
    logic                                 down, restart, group, crowded, output_active;

    for (genvar i = 0; i < xt_pkg::Ports; i++) begin : g_from
      assign from[i] = to_output[i*xt_pkg::Ports+o];
    end

    // A blocked traffic class is free three edges after nobody wants the output.
    xt_clock_gate #(.Linger(3)) i_clock_gate (
      .clk_i, .rst_ni,
      .busy_i(wake_i[o] | valid_i[o] | active[o] | waiting_o[o] | output_active),
      .clk_o (port_clk_o[o])
    );
    xt_output_unit #(
      .Port(o)
    ) i_output_unit (
      .clk_i(port_clk_o[o]), .rst_ni,
      .from_i     (from),
      .first_i    (first),
      .vc_i       (x_vc),
      .len_i      (x_len),
      .wanted_i   (wanted_of_any[o*xt_pkg::Tcs+:xt_pkg::Tcs]),
      .valid_o    (valid_o[o]),
      .first_o    (sent_first_o[o]),
      .vc_o       (vc),
      .tc_o       (sent_tc_o[o*xt_pkg::TcBits+:xt_pkg::TcBits]),
      .sending_o  (sending_o[o]),
      .weight_i   (weight_i[o*xt_pkg::Tcs*4+:xt_pkg::Tcs*4]),
      .hold_i     (hold_i[o]),
      .block_o    (block_q[o*xt_pkg::Tcs+:xt_pkg::Tcs]),
      .credit_i   (credit_i[o]),
      .credit_vc_i(credit_vc),
      .down_i     (down),
      .restart_i  (restart),
      .credit_ok_o(credit_ok_here),
      .room_i     (inject_room_i),
      .crowded_o  (crowded),
      .read_vc_i  (read_vc),
      .read_used_o(read_used_o[o*CountBits+:CountBits]),
      .low_i,
      .high_i,
      .grouped_i  (group),
      .usable_o   (usable),
      .low_o      (low),
      .busy_o     (credits_busy[o]),
      .active_o   (output_active)
    );

    for (genvar b = 0; b < CreditOkBits; b++) begin : g_credit_ok
      assign credit_ok[b*Queues+First+:Count] = credit_ok_here[b*Count+:Count];
    end
    if (IsLink) begin : g_link
      assign vc_o[o*xt_pkg::VcBits+:xt_pkg::VcBits] = vc;
      assign credit_vc    = credit_vc_i[o*xt_pkg::VcBits+:xt_pkg::VcBits];
      assign read_vc      = read_vc_i[o*xt_pkg::VcBits+:xt_pkg::VcBits];
      assign down         = down_i[o];
      assign restart      = restart_i[o];
      assign group        = grouped[o];
      assign crowded_next[o] = crowded;
      for (genvar t = 0; t < xt_pkg::Tcs; t++) begin : g_tc
        assign usable_q[t*xt_pkg::LinkPorts+o] = usable[t];
        assign low_q[t*xt_pkg::LinkPorts+o]    = low[t];
      end
    end else begin : g_nic
      assign credit_vc = '0;
      assign read_vc   = '0;
      assign down      = 1'b0;
      assign restart   = 1'b0;
      assign group     = 1'b0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ^{vc, usable, low, crowded};
      // verilator lint_on UNUSEDSIGNAL
    end
  end

  // Dropped packets need no credit.
  for (genvar b = 0; b < CreditOkBits; b++) begin : g_drop
    assign credit_ok[b*Queues+Queues-1] = 1'b1;
  end

  assign active_o = (active != '0) || (valid_i != '0) || (credit_i != '0) || (received_o != '0)
                 || (valid_o != '0) || (credits_busy != '0);

endmodule

`default_nettype wire
