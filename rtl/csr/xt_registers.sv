// SPDX-License-Identifier: Apache-2.0
//
// Registers of a card behind AXI4-Lite: identity, settings, table windows, errors, and the read-out of
// counters and credits. The map is generated from host/include/extorus/registers.h into xt_pkg. Registers of a feature
// that the profile lacks do not exist.
//
// One access at a time. Only whole words can be written: a write of some bytes of a word answers SLVERR and changes
// nothing. A write of no byte answers OKAY at every address and changes nothing. An address without a register answers
// SLVERR, as does a write to a read-only register.
//
// Fairness: a read and a write that both wait take turns. So an address waits for the access under way and at most one
// more. Only with BlockRamOnly may one access wait for the traffic of a link. A response that the master does not take
// holds up accesses of its own direction only. The other direction goes on from the second cycle of the response.
//
// A read of a table entry with one wrong bit counts the error and writes the corrected entry back, like a table
// write. An entry with two wrong bits is returned unchanged.
//
// xt_error_capture holds the first error of all ports with the header of its packet. The flags of each port hold the
// others.
//
// Latency: the response comes 2 cycles after a write's address and data, and 5 cycles after a
// read's address. A table entry takes 6 cycles, 8 with a code. A counter takes the time of xt_port_counters.
// With BlockRamOnly a link port's table is read in a cycle in which no cell comes in there; the response waits for
// this cycle.
// Speed: the choice of one of the registers that exist once. The address is decoded as it comes, into registers. A
// port's word is chosen in parallel, by the decoded address of the cycle before; the next cycle joins the ports.
`default_nettype none

module xt_registers #(
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1),
  /// Bits of the number of a bin.
  localparam int BinBits = $clog2(xt_pkg::LatencyBins)
) (
  /// Clock.
  input  logic                               clk_i,
  /// Reset, active low, synchronous.
  input  logic                               rst_ni,

  /// AXI4-Lite write address.
  input  logic                               awvalid_i,
  /// AXI4-Lite write address.
  output logic                               awready_o,
  /// AXI4-Lite write address.
  input  logic [xt_pkg::RegAddressBits-1:0]  awaddr_i,
  /// AXI4-Lite write data.
  input  logic                               wvalid_i,
  /// AXI4-Lite write data.
  output logic                               wready_o,
  /// AXI4-Lite write data.
  input  logic [                       31:0] wdata_i,
  /// AXI4-Lite write data.
  input  logic [                        3:0] wstrb_i,
  /// AXI4-Lite write response.
  output logic                               bvalid_o,
  /// AXI4-Lite write response.
  input  logic                               bready_i,
  /// AXI4-Lite write response.
  output logic [                        1:0] bresp_o,
  /// AXI4-Lite read address.
  input  logic                               arvalid_i,
  /// AXI4-Lite read address.
  output logic                               arready_o,
  /// AXI4-Lite read address.
  input  logic [xt_pkg::RegAddressBits-1:0]  araddr_i,
  /// AXI4-Lite read data.
  output logic                               rvalid_o,
  /// AXI4-Lite read data.
  input  logic                               rready_i,
  /// AXI4-Lite read data.
  output logic [                       31:0] rdata_o,
  /// AXI4-Lite read data.
  output logic [                        1:0] rresp_o,

  /// Tables and free lists are initialised.
  input  logic ready_i,
  /// Before: entry of the tables to clear.
  input  logic [15:0] init_addr_i,
  /// No cell is in the card.
  input  logic idle_i,

  /// The card's own address.
  output logic [xt_pkg::IdBits-1:0] own_o,
  /// Per TC: 1 = local first.
  output logic [xt_pkg::Tcs-1:0] order_o,
  /// Per TC: address bits to compare.
  output logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_o,

  /// How an adaptive candidate is chosen.
  output logic [1:0] adaptive_select_o,
  /// Used credits below which an adaptive VC is preferred.
  output logic [15:0] adaptive_low_o,
  /// Used credits from which on an adaptive VC is not chosen.
  output logic [15:0] adaptive_high_o,
  /// Internal link ports.
  output logic [xt_pkg::LinkPorts-1:0] adaptive_internal_o,
  /// Link ports of the middle dimension.
  output logic [xt_pkg::LinkPorts-1:0] adaptive_middle_o,
  /// Cycles for which a packet waits for an adaptive VC.
  output logic [15:0] adaptive_patience_o,

  /// Ports that start no new packet.
  output logic [xt_pkg::Ports-1:0] quiesce_o,
  /// Injection: cycles for which packets from a NIC give way.
  output logic [15:0] inject_wait_o,
  /// Injection: shared cells below which such packets do not start.
  output logic [15:0] inject_room_o,

  /// Links held down.
  output logic [xt_pkg::LinkPorts-1:0] link_disable_o,
  /// Retrain these links; a pulse.
  output logic [xt_pkg::LinkPorts-1:0] link_retrain_o,
  /// Cycles without an acknowledgement until the replay.
  output logic [15:0] link_timeout_o,
  /// Repetitions without success after which a link is down.
  output logic [7:0] link_retry_limit_o,
  /// The setting before is not 0.
  output logic link_retries_o,
  /// Cycles after which an idle link sends a frame; 0: never.
  output logic [15:0] link_keepalive_o,
  /// The setting before is not 0.
  output logic link_keeps_alive_o,

  /// Cycles for which an input may serve nothing; 0: for ever.
  output logic [15:0] stall_timeout_o,
  /// Weight of each TC at each output: 4 bits at (port*Tcs + TC)*4.
  output logic [xt_pkg::Ports*xt_pkg::Tcs*4-1:0] weight_o,
  /// Ring of each link output, 12 bits each: FROM, VCS, FROM_VCS.
  output logic [xt_pkg::LinkPorts*12-1:0] ring_o,
  /// Link ports whose packets enter the ring of each link output: bit output*LinkPorts + port.
  output logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_o,
  /// NICs stamp packets, histograms count.
  output logic stamp_o,
  /// Begin the high-water marks anew; a pulse.
  output logic clear_high_water_o,
  /// Clear the histograms; a pulse.
  output logic clear_latency_o,

  /// Ports drained in both directions.
  input  logic [xt_pkg::Ports-1:0] port_idle_i,
  /// Fewest free cells that each input buffer has had.
  input  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] least_free_i,
  /// State of each link.
  input  logic [xt_pkg::LinkPorts*2-1:0] link_state_i,
  /// Cause of DOWN.
  input  logic [xt_pkg::LinkPorts*3-1:0] link_cause_i,

  /// Errors of each port: bit 0 illegal route, 1 timeout, 2 poison, 3 table.
  input  logic [xt_pkg::Ports*4-1:0] error_event_i,
  /// Last header received at each port, low bits.
  input  logic [xt_pkg::Ports*64-1:0] error_header_i,
  /// Low bits of the header of the packet under delivery at each NIC port.
  input  logic [xt_pkg::NicPorts*64-1:0] delivered_header_i,

  /// Write a word of the GRT, per input port.
  output logic [xt_pkg::Ports-1:0] grt_we_o,
  /// Write a word of the LRT, per input port.
  output logic [xt_pkg::Ports-1:0] lrt_we_o,
  /// Entry to write or read. A register drives the entry, also before ready_i, because the wires cross the card.
  output logic [xt_pkg::LrtBits-1:0] index_o,
  /// Word to write; zero, which is a word without a route, before ready_i.
  output logic [xt_pkg::EntryStoredBits-1:0] wentry_o,
  /// Read that entry of a table of this port as soon as you can.
  output logic [xt_pkg::Ports-1:0] table_read_o,
  /// The entry is one of the GRT.
  output logic table_read_grt_o,
  /// With BlockRamOnly: a table reads the entry in this cycle.
  input  logic table_grant_i,
  /// The entry, two cycles after the read.
  input  logic [xt_pkg::EntryStoredBits-1:0] table_rdata_i,

  /// Per link port: VC for a read of that port's credits.
  output logic [xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] read_vc_o,
  /// Credits used of that VC, per port.
  input  logic [xt_pkg::Ports*CountBits-1:0] used_i,
  /// Free cells, per port.
  input  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] free_i,

  /// Ask for a counter.
  output logic counter_read_o,
  /// Port of the counter.
  output logic [xt_pkg::PortBits-1:0] counter_port_o,
  /// Register of the counter: bits 7 to 2 of the address.
  output logic [5:0] counter_offset_o,
  /// The answer.
  input  logic counter_valid_i,
  /// The counter's value.
  input  logic [31:0] counter_data_i,

  /// Bin for a read of the histograms.
  output logic [BinBits-1:0] latency_bin_o,
  /// Packets in the bin, per NIC.
  input  logic [xt_pkg::NicPorts*32-1:0] latency_count_i,

  /// An access is going on.
  output logic active_o
);

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlverr = 2'b10;
  // Cycles from the registered address to the registered data: source, port multiplexer, result. A table word takes
  // one more cycle for the wires, and with a code one to find a wrong bit and one to correct the bit.
  localparam logic [2:0] ReadCycles = 3'd4;
  localparam logic [2:0] TableCycles = (xt_pkg::TableEcc != 0) ? 3'd7 : 3'd5;
  // The entry comes two cycles after the read.
  localparam logic [2:0] EntryCycle = TableCycles - 3'd2;
  localparam int FreeBits = xt_pkg::CellAddrBits + 1;
  // The counters per traffic class are RX_PACKETS to STALLS_GRANT, or without monitors to TX_CELLS.
  localparam logic [3:0] LastOfTcs = (xt_pkg::HasMonitors != 0) ? xt_pkg::RegStallsGrant[7:4]
                                                                : xt_pkg::RegTxCells[7:4];

  if (xt_pkg::RegGrt != 16'h4000 || xt_pkg::RegLrt != 16'h8000 || xt_pkg::RegNicStride != 64
      || xt_pkg::RegPortStride != 256) begin : g_illegal
    xt_registers_takes_parts_of_an_address_for_numbers i_illegal ();
  end

  logic [xt_pkg::RegAddressBits-1:0] addr_q;
  logic [                      31:0] wdata_q;
  logic                              write_q;  // a write was accepted
  logic                              write_all_q;  // of all four bytes, which is to be carried out
  logic                              write_none_q;  // of no byte
  logic                              ask_q;  // first cycle of a read
  logic [                       2:0] read_q;  // cycles left of a read
  logic                              wrote_q;  // the last access was a write, so a read goes first
  logic                              b_waits_q, r_waits_q;  // the master has not taken the response at once
  logic                              under_way, writes, accepts, asks;

  assign under_way = write_q | (read_q != '0) | (bvalid_o & ~b_waits_q) | (rvalid_o & ~r_waits_q);
  assign writes    = awvalid_i && wvalid_i && !bvalid_o && !(arvalid_i && wrote_q && !rvalid_o);
  assign accepts   = !under_way && writes;
  assign asks      = !under_way && !writes && arvalid_i && !rvalid_o;
  assign active_o  = under_way | bvalid_o | rvalid_o | awvalid_i | wvalid_i | arvalid_i;

  // ---------------------------------------------------------------- address decoding
  // Decodes the incoming address into registers beside the address register. The meaning is ready in the first cycle
  // of an access.
  logic [xt_pkg::RegAddressBits-1:0] addr;
  logic [ 3:0] port, port_q;
  logic [ 5:0] offset, offset_q;
  logic [11:0] table_index;
  logic        aligned, in_single, in_ports, in_links, in_tcs, in_latency_q, in_grt_q, in_lrt_q;

  assign addr        = under_way ? addr_q : writes ? awaddr_i : araddr_i;
  assign aligned     = addr[1:0] == 2'b00;
  assign port        = addr[11:8];
  assign offset      = addr[7:2];
  assign in_single   = aligned && addr[15:8] == '0;
  assign in_ports    = aligned && addr[15:12] == xt_pkg::RegFreeCells[15:12] && 32'(port) < xt_pkg::Ports;
  assign in_links    = in_ports && 32'(port) < xt_pkg::LinkPorts;
  assign in_tcs      = 32'(offset[1:0]) < xt_pkg::Tcs;
  assign table_index = {addr[15] & addr[14], addr[13:3]};

  assign port_q      = addr_q[11:8];
  assign offset_q    = addr_q[7:2];

  // Registers that exist once.
  logic is_magic, is_version, is_hash, is_shape, is_features, is_status, is_id, is_order, is_table_ports;
  logic is_table_read_port, is_select, is_thresholds, is_adaptive_ports, is_patience, is_quiesce, is_injection, is_idle;
  logic is_owner, is_load;
  logic is_disable, is_retrain, is_timing, is_keepalive, is_stall, is_source, is_header_low, is_header_high;
  logic is_clear, is_control, is_flip, is_table_errors, at_timing, at_keepalive;
  logic [xt_pkg::Tcs-1:0] is_mask;
  // Registers of a port.
  logic is_free, is_high_water, is_flags, is_used, is_state, is_weight, is_ring, is_entrants, is_counter, is_zero;
  logic zero;

  // Packets do not break at link ports, are not dropped at NIC ports, and not poisoned on plain links.
  assign zero = (in_links && offset == xt_pkg::RegFramingErrors[7:2])
             || (in_ports && !in_links && offset == xt_pkg::RegDropped[7:2])
             || (in_ports && xt_pkg::HasLinkLayer == 0 && offset == xt_pkg::RegPoisoned[7:2]);

  assign at_timing    = in_single && xt_pkg::HasLinkLayer != 0 && offset == xt_pkg::RegLinkTiming[7:2];
  assign at_keepalive = in_single && xt_pkg::HasLinkLayer != 0 && offset == xt_pkg::RegLinkKeepalive[7:2];

  always_ff @(posedge clk_i) begin
    index_o      <= ready_i ? table_index[xt_pkg::LrtBits-1:0] : init_addr_i[xt_pkg::LrtBits-1:0];
    in_latency_q <= aligned && xt_pkg::HasLatency != 0 && addr[15:12] == xt_pkg::RegLatency[15:12]
                 && 32'(addr[11:6]) < xt_pkg::NicPorts;
    in_lrt_q     <= aligned && addr[15] && 32'(table_index) < 32'd1 << xt_pkg::LrtBits;
    in_grt_q     <= aligned && addr[15:14] == 2'b01 && 32'(table_index) < 32'd1 << xt_pkg::GrtBits;
    is_magic           <= in_single && offset == xt_pkg::RegMagic[7:2];
    is_version         <= in_single && offset == xt_pkg::RegVersion[7:2];
    is_hash            <= in_single && offset == xt_pkg::RegProfileHash[7:2];
    is_shape           <= in_single && offset == xt_pkg::RegShape[7:2];
    is_features        <= in_single && offset == xt_pkg::RegFeatures[7:2];
    is_status          <= in_single && offset == xt_pkg::RegStatus[7:2];
    is_id              <= in_single && offset == xt_pkg::RegCardId[7:2];
    is_order           <= in_single && offset == xt_pkg::RegRouteOrder[7:2];
    is_table_ports     <= in_single && offset == xt_pkg::RegTablePorts[7:2];
    is_table_read_port <= in_single && offset == xt_pkg::RegTableReadPort[7:2];
    is_select          <= in_single && xt_pkg::HasAdaptive != 0 && offset == xt_pkg::RegAdaptiveSelect[7:2];
    is_thresholds      <= in_single && xt_pkg::HasAdaptive != 0 && offset == xt_pkg::RegAdaptiveThresholds[7:2];
    is_adaptive_ports  <= in_single && xt_pkg::HasAdaptive != 0 && offset == xt_pkg::RegAdaptivePorts[7:2];
    is_patience        <= in_single && xt_pkg::HasAdaptive != 0 && offset == xt_pkg::RegAdaptivePatience[7:2];
    is_quiesce         <= in_single && offset == xt_pkg::RegQuiesce[7:2];
    is_injection       <= in_single && offset == xt_pkg::RegInjection[7:2];
    is_owner           <= in_single && offset == xt_pkg::RegOwner[7:2];
    is_load            <= in_single && offset == xt_pkg::RegLoad[7:2];
    is_idle            <= in_single && offset == xt_pkg::RegPortIdle[7:2];
    is_disable         <= in_single && xt_pkg::HasLinkLayer != 0 && offset == xt_pkg::RegLinkDisable[7:2];
    is_retrain         <= in_single && xt_pkg::HasLinkLayer != 0 && offset == xt_pkg::RegLinkRetrain[7:2];
    is_timing          <= at_timing;
    is_keepalive       <= at_keepalive;
    is_stall           <= in_single && xt_pkg::HasMonitors != 0 && offset == xt_pkg::RegStallTimeout[7:2];
    is_source          <= in_single && xt_pkg::HasMonitors != 0 && offset == xt_pkg::RegErrorSource[7:2];
    is_header_low      <= in_single && xt_pkg::HasMonitors != 0 && offset == xt_pkg::RegErrorHeaderLow[7:2];
    is_header_high     <= in_single && xt_pkg::HasMonitors != 0 && offset == xt_pkg::RegErrorHeaderHigh[7:2];
    is_clear           <= in_single && offset == xt_pkg::RegClear[7:2];
    is_control         <= in_single && xt_pkg::HasLatency != 0 && offset == xt_pkg::RegLatencyControl[7:2];
    is_flip            <= in_single && xt_pkg::TableEcc != 0 && offset == xt_pkg::RegTableFlip[7:2];
    is_table_errors    <= in_single && xt_pkg::TableEcc != 0 && offset == xt_pkg::RegTableErrors[7:2];
    for (int t = 0; t < xt_pkg::Tcs; t++) is_mask[t] <= in_single && offset == xt_pkg::RegMatchMask[7:2] + 6'(t);
    is_free            <= in_ports && offset == xt_pkg::RegFreeCells[7:2];
    is_high_water      <= in_ports && xt_pkg::HasMonitors != 0 && offset == xt_pkg::RegHighWater[7:2];
    is_flags           <= in_ports && offset == xt_pkg::RegErrorFlags[7:2];
    is_used            <= in_ports && offset[5:4] == xt_pkg::RegCreditsUsed[7:6] && 32'(offset[3:0]) < xt_pkg::Vcs;
    is_state           <= in_links && xt_pkg::HasLinkLayer != 0 && offset == xt_pkg::RegLinkState[7:2];
    is_weight          <= in_ports && xt_pkg::HasQos != 0 && in_tcs && offset[5:2] == xt_pkg::RegTcWeight[7:4];
    is_ring            <= in_links && xt_pkg::HasBubble != 0 && offset == xt_pkg::RegRing[7:2];
    is_entrants        <= in_links && offset == xt_pkg::RegEntrants[7:2];
    is_zero            <= zero;
    // Those per TC, and the single ones.
    is_counter         <= !zero
                       && ((in_ports && in_tcs && offset[5:2] >= xt_pkg::RegRxPackets[7:4]
                            && offset[5:2] <= LastOfTcs)
                           || (in_ports && (offset == xt_pkg::RegIllegalRoutes[7:2]
                                            || offset == xt_pkg::RegFramingErrors[7:2]
                                            || offset == xt_pkg::RegPoisoned[7:2]
                                            || offset == xt_pkg::RegDropped[7:2]))
                           || (in_links && xt_pkg::HasLinkLayer != 0 && offset >= xt_pkg::RegCrcErrors[7:2]
                               && offset <= xt_pkg::RegRetrains[7:2]));
  end

  // ---------------------------------------------------------------- writes
  logic [        xt_pkg::Ports-1:0] table_ports_q;
  logic [     xt_pkg::PortBits-1:0] table_read_port_q;
  logic [                     31:0] low_q;  // low word of the entry to come
  // What software keeps here for other software. The card does not use these words.
  logic [                     31:0] owner_q, load_q;
  logic                             write_hit;
  logic [        xt_pkg::Ports-1:0] write_port;

  assign write_hit = write_all_q
                  && (in_grt_q || in_lrt_q || is_id || is_order || is_table_ports
                      || (is_table_read_port && wdata_q < xt_pkg::Ports) || is_mask != '0 || is_select
                      || is_thresholds || is_adaptive_ports || is_patience || is_quiesce || is_injection || is_owner
                      || is_load || is_disable || is_retrain || is_timing || is_keepalive || is_stall || is_clear
                      || is_control || is_flip || is_flags || is_weight || is_ring || is_entrants);
  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_write_port
    assign write_port[p] = write_all_q && port_q == p[3:0];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      own_o              <= '0;
      order_o            <= '0;
      mask_o             <= '1;
      table_ports_q      <= '1;
      table_read_port_q  <= '0;
      low_q              <= '0;
      quiesce_o          <= '0;
      inject_wait_o      <= '0;
      inject_room_o      <= '0;
      owner_q            <= '0;
      load_q             <= '0;
      clear_latency_o    <= 1'b0;
    end else begin
      if (write_all_q && is_id) own_o <= wdata_q[xt_pkg::IdBits-1:0];
      if (write_all_q && is_order) order_o <= wdata_q[xt_pkg::Tcs-1:0];
      if (write_all_q && is_table_ports) table_ports_q <= wdata_q[xt_pkg::Ports-1:0];
      if (write_all_q && is_table_read_port && wdata_q < xt_pkg::Ports) table_read_port_q <= wdata_q[xt_pkg::PortBits-1:0];
      for (int t = 0; t < xt_pkg::Tcs; t++) begin
        if (write_all_q && is_mask[t]) mask_o[t*xt_pkg::IdBits+:xt_pkg::IdBits] <= wdata_q[xt_pkg::IdBits-1:0];
      end
      if (write_all_q && (in_grt_q || in_lrt_q) && !addr_q[2]) low_q <= wdata_q;
      if (write_all_q && is_quiesce) quiesce_o <= wdata_q[xt_pkg::Ports-1:0];
      if (write_all_q && is_injection) {inject_room_o, inject_wait_o} <= wdata_q;
      if (write_all_q && is_owner) owner_q <= wdata_q;
      if (write_all_q && is_load) load_q <= wdata_q;
      clear_latency_o    <= write_all_q & is_clear & wdata_q[1];
    end
  end

  if (xt_pkg::HasAdaptive != 0) begin : g_adaptive
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        adaptive_select_o   <= '0;
        adaptive_low_o      <= 16'(xt_pkg::PacketCells);
        adaptive_high_o     <= 16'(4 * xt_pkg::PacketCells);
        adaptive_internal_o <= '0;
        adaptive_middle_o   <= '0;
        adaptive_patience_o <= 16'd64;
      end else begin
        if (write_all_q && is_select) adaptive_select_o <= wdata_q[1:0];
        if (write_all_q && is_thresholds) {adaptive_high_o, adaptive_low_o} <= wdata_q;
        if (write_all_q && is_adaptive_ports) begin
          adaptive_internal_o <= wdata_q[xt_pkg::LinkPorts-1:0];
          adaptive_middle_o   <= wdata_q[8+:xt_pkg::LinkPorts];
        end
        if (write_all_q && is_patience) adaptive_patience_o <= wdata_q[15:0];
      end
    end
  end else begin : g_no_adaptive
    assign adaptive_select_o   = '0;
    assign adaptive_low_o      = '0;
    assign adaptive_high_o     = '0;
    assign adaptive_internal_o = '0;
    assign adaptive_middle_o   = '0;
    assign adaptive_patience_o = '0;
  end

  if (xt_pkg::HasLinkLayer != 0) begin : g_links
    // A register drives the links' settings, because each link has its own copies, far from here.
    logic sets_timing_q, sets_keepalive_q;
    // The test for a zero comes first, not behind the wires to all links.
    logic has_limit_q, has_keepalive_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        sets_timing_q      <= 1'b0;
        sets_keepalive_q   <= 1'b0;
        link_disable_o     <= '0;
        link_retrain_o     <= '0;
        link_timeout_o     <= 16'd256;
        link_retry_limit_o <= 8'd8;
        link_retries_o     <= 1'b1;
        link_keepalive_o   <= '0;
        link_keeps_alive_o <= 1'b0;
      end else begin
        sets_timing_q    <= accepts && wstrb_i == '1 && at_timing;
        sets_keepalive_q <= accepts && wstrb_i == '1 && at_keepalive;
        if (write_all_q && is_disable) link_disable_o <= wdata_q[xt_pkg::LinkPorts-1:0];
        link_retrain_o <= (write_all_q && is_retrain) ? wdata_q[xt_pkg::LinkPorts-1:0] : '0;
        if (sets_timing_q) begin
          {link_retry_limit_o, link_timeout_o} <= wdata_q[23:0];
          link_retries_o                       <= has_limit_q;
        end
        if (sets_keepalive_q) begin
          link_keepalive_o   <= wdata_q[15:0];
          link_keeps_alive_o <= has_keepalive_q;
        end
      end
      has_limit_q     <= wdata_i[23:16] != '0;
      has_keepalive_q <= wdata_i[15:0] != '0;
    end
  end else begin : g_no_links
    assign link_disable_o     = '0;
    assign link_retrain_o     = '0;
    assign link_timeout_o     = '0;
    assign link_retry_limit_o = '0;
    assign link_retries_o     = 1'b0;
    assign link_keepalive_o   = '0;
    assign link_keeps_alive_o = 1'b0;
  end

  if (xt_pkg::HasLatency != 0) begin : g_latency
    always_ff @(posedge clk_i) begin
      if (!rst_ni) stamp_o <= 1'b0;
      else if (write_all_q && is_control) stamp_o <= wdata_q[0];
    end
  end else begin : g_no_latency
    assign stamp_o = 1'b0;
  end

  // ---------------------------------------------------------------- errors
  logic        error_valid;
  logic [ 3:0] error_port;
  logic [ 2:0] error_kind;
  logic [63:0] error_header;

  if (xt_pkg::HasMonitors != 0) begin : g_monitors
    logic clear_error_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        stall_timeout_o    <= '0;
        clear_high_water_o <= 1'b0;
        clear_error_q      <= 1'b0;
      end else begin
        if (write_all_q && is_stall) stall_timeout_o <= wdata_q[15:0];
        clear_high_water_o <= write_all_q & is_clear & wdata_q[0];
        clear_error_q      <= write_all_q & is_clear & wdata_q[2];
      end
    end

    xt_error_capture i_error_capture (
      .clk_i,
      .rst_ni,
      .clear_i    (clear_error_q),
      .event_i    (error_event_i),
      .header_i   (error_header_i),
      .delivered_i(delivered_header_i),
      .valid_o    (error_valid),
      .port_o     (error_port),
      .kind_o     (error_kind),
      .header_o   (error_header)
    );
  end else begin : g_no_monitors
    assign stall_timeout_o    = '0;
    assign clear_high_water_o = 1'b0;
    assign error_valid        = 1'b0;
    assign error_port         = '0;
    assign error_kind         = '0;
    assign error_header       = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{error_header_i, delivered_header_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  // ---------------------------------------------------------------- tables
  // A table write is carried out the cycle after write_q, the index being that of addr_q still.
  logic [          xt_pkg::EntryStoredBits-1:0] entry_q, encoded, mended_q;
  logic [                xt_pkg::EntryBits-1:0] new_entry;
  logic                                         scrub_q, commit;
  logic [                    xt_pkg::Ports-1:0] write_tables;
  logic                                         init_grt, init_lrt;
  logic [                                 15:0] table_errors;
  logic [                                  6:0] flip;
  // Of the 64 bits of its window an entry has 16 per traffic class.
  // verilator lint_off UNUSEDSIGNAL
  logic [                                 63:0] wide_entry;
  // verilator lint_on UNUSEDSIGNAL

  assign wide_entry = {wdata_q, low_q};
  assign new_entry  = wide_entry[xt_pkg::EntryBits-1:0];
  assign commit     = write_all_q & (in_grt_q | in_lrt_q) & addr_q[2];

  // A table read waits for its grant in its first cycle.
  logic reads_table, table_waits;
  assign reads_table = read_q == TableCycles && (in_grt_q || in_lrt_q);
  assign table_waits = xt_pkg::BlockRamOnly != 0 && reads_table && !table_grant_i;
  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_table
    logic selected;

    assign selected        = table_read_port_q == p[xt_pkg::PortBits-1:0];
    assign table_read_o[p] = reads_table & selected;
    assign write_tables[p] = commit ? table_ports_q[p] : scrub_q & selected;
  end
  assign table_read_grt_o = in_grt_q;

  // One memory for both tables is cleared one after the other.
  assign init_grt = xt_pkg::BlockRamOnly == 0 || init_addr_i[xt_pkg::LrtBits];
  assign init_lrt = xt_pkg::BlockRamOnly == 0 || !init_addr_i[xt_pkg::LrtBits];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      grt_we_o <= '0;
      lrt_we_o <= '0;
    end else if (!ready_i) begin
      grt_we_o <= {xt_pkg::Ports{init_grt}};
      lrt_we_o <= {xt_pkg::Ports{init_lrt}};
    end else begin
      grt_we_o <= in_grt_q ? write_tables : '0;
      lrt_we_o <= in_lrt_q ? write_tables : '0;
    end
    if (!ready_i) wentry_o <= '0;
    else wentry_o <= scrub_q ? mended_q : encoded;
    if (read_q == EntryCycle) entry_q <= table_rdata_i;
  end

  if (xt_pkg::TableEcc != 0) begin : g_code
    localparam int FlipRows = xt_pkg::EntryStoredBits / 8;
    logic [  xt_pkg::EntryCodeBits-1:0] new_code, read_code, syndrome_q;
    logic [xt_pkg::EntryStoredBits-1:0] mended;
    logic [xt_pkg::EntryStoredBits-1:0] inverted;
    logic [                 FlipRows:0] flip_row;
    logic [                        7:0] flip_column;
    logic [                        6:0] flip_q;
    logic [                       15:0] table_errors_q;
    logic                               corrected, unused_uncorrectable;

    xt_table_code i_new (
      .data_i(new_entry),
      .code_o(new_code)
    );
    xt_table_code i_read (
      .data_i(entry_q[xt_pkg::EntryBits-1:0]),
      .code_o(read_code)
    );
    xt_table_correct i_correct (
      .stored_i       (entry_q),
      .syndrome_i     (syndrome_q),
      .stored_o       (mended),
      .corrected_o    (corrected),
      .uncorrectable_o(unused_uncorrectable)
    );

    for (genvar r = 0; r <= FlipRows; r++) begin : g_row
      assign flip_row[r] = flip_q[6:3] == r[3:0];
    end
    for (genvar c = 0; c < 8; c++) begin : g_column
      assign flip_column[c] = flip_q[2:0] == c[2:0];
    end
    for (genvar b = 0; b < xt_pkg::EntryStoredBits; b++) begin : g_bit
      assign inverted[b] = flip_row[(b+1)/8] & flip_column[(b+1)%8];
    end
    assign encoded      = {new_code, new_entry} ^ inverted;
    assign flip         = flip_q;
    assign table_errors = table_errors_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        flip_q         <= '0;
        table_errors_q <= '0;
        scrub_q        <= 1'b0;
      end else begin
        if (write_all_q && is_flip) flip_q <= wdata_q[6:0];
        else if (commit) flip_q <= '0;
        scrub_q <= (read_q == 3'd3) & (in_grt_q | in_lrt_q) & corrected;
        if (scrub_q) table_errors_q <= table_errors_q + 1'b1;
      end
      syndrome_q <= read_code ^ entry_q[xt_pkg::EntryStoredBits-1-:xt_pkg::EntryCodeBits];
      mended_q   <= mended;
    end
  end else begin : g_plain
    assign encoded      = new_entry;
    assign flip         = '0;
    assign table_errors = '0;
    assign scrub_q      = 1'b0;
    assign mended_q     = entry_q;
  end

  // ---------------------------------------------------------------- reads
  logic [31:0] single_value, latency, entry_word, value_q;
  logic [63:0] wide_mended;
  logic        single_hit, other_hit, hit_q, is_counter_q, answer;
  logic [                       15:0] joined, joined_q, port_value;
  logic [       xt_pkg::Ports*16-1:0] port_word;
  logic [          xt_pkg::Ports-1:0] port_read_q;
  logic [                        7:0] port_select_q;
  logic [                        1:0] port_tc_q;

  assign counter_read_o   = ask_q & is_counter;
  assign counter_port_o   = port_q[xt_pkg::PortBits-1:0];
  assign counter_offset_o = offset_q;
  assign latency_bin_o    = addr_q[2+:BinBits];

  // Three steps with a register after each: the request to the port; the port's word, zero without a read; the join of
  // all ports. Each port has its own VC register, so that the register can stand halfway to the port's credits. Zero at
  // the other ports keeps synthesis from merging these registers.
  always_ff @(posedge clk_i) begin
    for (int p = 0; p < xt_pkg::Ports; p++) port_read_q[p] <= read_q != '0 && port_q == p[3:0];
    for (int p = 0; p < xt_pkg::LinkPorts; p++)
      read_vc_o[p*xt_pkg::VcBits+:xt_pkg::VcBits] <= (port_q == p[3:0]) ? offset_q[xt_pkg::VcBits-1:0] : '0;
    port_select_q <= {is_entrants, is_ring, is_weight, is_state, is_flags, is_used, is_high_water, is_free};
    port_tc_q     <= offset_q[1:0];
  end

  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_port
    logic [CountBits-1:0] used;
    logic [          1:0] link_state;
    logic [          2:0] link_cause;
    logic [         11:0] ring;
    logic [xt_pkg::LinkPorts-1:0] entrants;

    if (p < xt_pkg::LinkPorts) begin : g_link
      assign used             = used_i[p*CountBits+:CountBits];
      assign link_state       = link_state_i[p*2+:2];
      assign link_cause       = link_cause_i[p*3+:3];
      assign ring_o[p*12+:12] = ring;
      assign entrants_o[p*xt_pkg::LinkPorts+:xt_pkg::LinkPorts] = entrants;
    end else begin : g_nic
      // One pool for all VCs: VC 0 reports the pool.
      assign used       = (offset_q[3:0] == '0) ? used_i[p*CountBits+:CountBits] : '0;
      assign link_state = '0;
      assign link_cause = '0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ring != '0 || entrants != '0;
      // verilator lint_on UNUSEDSIGNAL
    end

    xt_port_registers #(
      .IsLink(p < xt_pkg::LinkPorts)
    ) i_port_registers (
      .clk_i,
      .rst_ni,
      .write_weight_i(write_port[p] & is_weight),
      .write_tc_i    (offset_q[1:0]),
      .write_ring_i  (write_port[p] & is_ring),
      .write_entrants_i(write_port[p] & is_entrants),
      .clear_flags_i (write_port[p] & is_flags),
      .wdata_i       (wdata_q[11:0]),
      .weight_o      (weight_o[p*xt_pkg::Tcs*4+:xt_pkg::Tcs*4]),
      .ring_o        (ring),
      .entrants_o    (entrants),
      .error_event_i (error_event_i[p*4+:4]),
      .free_i        (free_i[p*FreeBits+:FreeBits]),
      .least_free_i  (least_free_i[p*FreeBits+:FreeBits]),
      .used_i        (used),
      .link_state_i  (link_state),
      .link_cause_i  (link_cause),
      .read_i        (port_read_q[p]),
      .select_i      (port_select_q),
      .read_tc_i     (port_tc_q),
      .word_o        (port_word[p*16+:16])
    );
  end

  // Held cells: all cells of the buffer less the free ones.
  assign port_value = port_select_q[1] ? 16'(xt_pkg::BufferCells) - joined_q : joined_q;

  // As far from here as the NICs are, so that which of them is read is known before.
  logic [xt_pkg::NicPorts-1:0] latency_of_q;
  always_ff @(posedge clk_i) begin
    for (int n = 0; n < xt_pkg::NicPorts; n++) latency_of_q[n] <= in_latency_q && addr_q[9:6] == n[3:0];
  end

  always_comb begin
    joined = '0;
    for (int p = 0; p < xt_pkg::Ports; p++) joined = joined | port_word[p*16+:16];
    latency = '0;
    for (int n = 0; n < xt_pkg::NicPorts; n++) begin
      if (latency_of_q[n]) latency = latency | latency_count_i[n*32+:32];
    end
  end

  logic [31:0] masks;
  always_comb begin
    masks = '0;
    for (int t = 0; t < xt_pkg::Tcs; t++) begin
      if (is_mask[t]) masks = masks | 32'(mask_o[t*xt_pkg::IdBits+:xt_pkg::IdBits]);
    end
  end

  assign single_value =
      (is_magic ? xt_pkg::RegMagicValue : '0) | (is_version ? xt_pkg::RegMapVersion : '0)
    | (is_hash ? xt_pkg::ProfileHash : '0) | (is_features ? xt_pkg::Features : '0)
    | (is_shape ? {8'(xt_pkg::Vcs), 8'(xt_pkg::Tcs), 8'(xt_pkg::NicPorts), 8'(xt_pkg::LinkPorts)} : '0)
    | (is_status ? {30'b0, idle_i, ready_i} : '0) | (is_id ? 32'(own_o) : '0)
    | (is_order ? 32'(order_o) : '0) | (is_table_ports ? 32'(table_ports_q) : '0)
    | (is_table_read_port ? 32'(table_read_port_q) : '0) | masks
    | (is_select ? 32'(adaptive_select_o) : '0)
    | (is_thresholds ? {adaptive_high_o, adaptive_low_o} : '0)
    | (is_adaptive_ports ? {16'b0, 8'(adaptive_middle_o), 8'(adaptive_internal_o)} : '0)
    | (is_patience ? 32'(adaptive_patience_o) : '0) | (is_quiesce ? 32'(quiesce_o) : '0)
    | (is_injection ? {inject_room_o, inject_wait_o} : '0)
    | (is_owner ? owner_q : '0) | (is_load ? load_q : '0)
    | (is_idle ? 32'(port_idle_i) : '0) | (is_disable ? 32'(link_disable_o) : '0)
    | (is_timing ? {8'b0, link_retry_limit_o, link_timeout_o} : '0)
    | (is_keepalive ? 32'(link_keepalive_o) : '0) | (is_stall ? 32'(stall_timeout_o) : '0)
    | (is_source ? {24'b0, error_port, error_kind, error_valid} : '0)
    | (is_header_low ? error_header[31:0] : '0) | (is_header_high ? error_header[63:32] : '0)
    | (is_control ? 32'(stamp_o) : '0) | (is_flip ? 32'(flip) : '0)
    | (is_table_errors ? 32'(table_errors) : '0);
  // CLEAR and LINK_RETRAIN read 0.
  assign single_hit = is_magic | is_version | is_hash | is_features | is_shape | is_status | is_id | is_order
                    | is_table_ports | is_table_read_port | (is_mask != '0) | is_select | is_thresholds
                    | is_adaptive_ports | is_patience | is_quiesce | is_injection | is_owner | is_load | is_idle
                    | is_disable | is_retrain
                    | is_timing | is_keepalive | is_stall | is_source | is_header_low | is_header_high
                    | is_clear | is_control | is_flip | is_table_errors;
  assign other_hit  = is_free | is_high_water | is_flags | is_used | is_state | is_weight | is_ring | is_entrants | in_latency_q
                    | in_grt_q | in_lrt_q | is_zero;

  assign wide_mended = 64'(mended_q[xt_pkg::EntryBits-1:0]);
  assign entry_word  = (in_grt_q || in_lrt_q) ? (addr_q[2] ? wide_mended[63:32] : wide_mended[31:0]) : '0;
  assign answer      = (read_q == 3'd1) & (~is_counter_q | counter_valid_i);

  // ---------------------------------------------------------------- handshakes
  assign awready_o = write_q;
  assign wready_o  = write_q;
  assign arready_o = ask_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bvalid_o    <= 1'b0;
      rvalid_o    <= 1'b0;
      write_q     <= 1'b0;
      write_all_q <= 1'b0;
      write_none_q <= 1'b0;
      b_waits_q   <= 1'b0;
      r_waits_q   <= 1'b0;
      wrote_q     <= 1'b0;
      ask_q       <= 1'b0;
      read_q      <= '0;
      bresp_o     <= RespOkay;
      rresp_o     <= RespOkay;
      rdata_o     <= '0;
      addr_q      <= '0;
      wdata_q     <= '0;
    end else begin
      write_q     <= accepts;
      write_all_q <= accepts && wstrb_i == '1;
      write_none_q <= wstrb_i == '0;
      b_waits_q   <= bvalid_o & ~bready_i;
      r_waits_q   <= rvalid_o & ~rready_i;
      ask_q       <= asks;
      if (accepts || asks) wrote_q <= accepts;
      if (accepts) begin
        addr_q  <= awaddr_i;
        wdata_q <= wdata_i;
      end else if (asks) begin
        addr_q <= araddr_i;
        read_q <= (araddr_i[15:14] != '0) ? TableCycles : ReadCycles;
      end
      if (write_q) begin
        bvalid_o <= 1'b1;
        bresp_o  <= (write_hit || write_none_q) ? RespOkay : RespSlverr;
      end else if (bready_i) begin
        bvalid_o <= 1'b0;
      end
      if ((read_q > 3'd1 && !table_waits) || answer) read_q <= read_q - 1'b1;
      if (answer) begin
        rvalid_o <= 1'b1;
        rresp_o  <= hit_q ? RespOkay : RespSlverr;
        rdata_o  <= value_q | 32'(port_value) | (is_counter_q ? counter_data_i : '0);
      end else if (rready_i) begin
        rvalid_o <= 1'b0;
      end
    end
    if (read_q != '0) begin
      joined_q     <= joined;
      value_q      <= single_value | latency | entry_word;
      hit_q        <= single_hit | other_hit | is_counter;
      is_counter_q <= is_counter;
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      registers_counter_comes_when_awaited : assert (!counter_valid_i || answer);
    end
  end
`endif

endmodule

`default_nettype wire
