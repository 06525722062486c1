// SPDX-License-Identifier: Apache-2.0
//
// One card: the switch, its links and NIC adapters, registers and counters. The generated xt_pkg gives the shape of the
// profile.
//
// A link carries a frame per cycle and direction. With a link layer (xt_link) frames survive errors; a plain link
// (xt_plain_link) carries bare cells and credits. The cells of a packet come in order, on one VC and without other cells
// between them. Empty cycles may come between them. The header's length gives the packet's end.
//
// After reset the card initialises tables (every route invalid) and free lists, and its links train. Until
// STATUS.ready no packet may arrive at a NIC, or at a plain link.
//
// Latency from link pin to link pin: LookupCycles into the card (2, or 1 with BlockRamOnly), then 5 through
// the switch. A link layer adds 2 cycles on the way out. A NIC takes 2 cycles in place of LookupCycles for entry, and
// 2 cycles more for exit.
// Speed: the parts' own limits (xt_switch, xt_link). This module adds little logic of its own.
`default_nettype none

module xt_card #(
  /// Bit per link port: the link's wires are narrower than a frame; only with a link layer.
  parameter logic [xt_pkg::LinkPorts-1:0] NarrowLinks = '0,
  /// Cycles from a frame to the next there.
  parameter int FrameCycles = 1,
  /// 1: a packet of a PE enters the switch when all of the packet has come, so a PE that pauses holds no path.
  parameter int StoreForward = 0
) (
  /// Clock.
  input  logic                                           clk_i,
  /// Reset, active low, synchronous.
  input  logic                                           rst_ni,

  /// Links in: a frame arrives.
  input  logic [                  xt_pkg::LinkPorts-1:0] link_valid_i,
  /// Links in: the frame.
  input  logic [xt_pkg::LinkPorts*xt_pkg::FrameBits-1:0] link_frame_i,
  /// Links out: a frame leaves.
  output logic [                  xt_pkg::LinkPorts-1:0] link_valid_o,
  /// Links out: the frame.
  output logic [xt_pkg::LinkPorts*xt_pkg::FrameBits-1:0] link_frame_o,

  /// AXI4-Stream from the PE.
  input  logic [                  xt_pkg::NicPorts-1:0] nic_tvalid_i,
  /// AXI4-Stream from the PE.
  output logic [                  xt_pkg::NicPorts-1:0] nic_tready_o,
  /// AXI4-Stream from the PE.
  input  logic [ xt_pkg::NicPorts*xt_pkg::CellBits-1:0] nic_tdata_i,
  /// AXI4-Stream from the PE.
  input  logic [                  xt_pkg::NicPorts-1:0] nic_tlast_i,
  /// AXI4-Stream to the PE.
  output logic [                  xt_pkg::NicPorts-1:0] nic_tvalid_o,
  /// AXI4-Stream to the PE.
  input  logic [                  xt_pkg::NicPorts-1:0] nic_tready_i,
  /// AXI4-Stream to the PE.
  output logic [ xt_pkg::NicPorts*xt_pkg::CellBits-1:0] nic_tdata_o,
  /// AXI4-Stream to the PE.
  output logic [                  xt_pkg::NicPorts-1:0] nic_tlast_o,
  /// AXI4-Stream to the PE: with tlast, the packet is incomplete.
  output logic [                  xt_pkg::NicPorts-1:0] nic_tuser_o,

  /// AXI4-Lite write address.
  input  logic                                          axil_awvalid_i,
  /// AXI4-Lite write address.
  output logic                                          axil_awready_o,
  /// AXI4-Lite write address.
  input  logic [            xt_pkg::RegAddressBits-1:0] axil_awaddr_i,
  /// AXI4-Lite write data.
  input  logic                                          axil_wvalid_i,
  /// AXI4-Lite write data.
  output logic                                          axil_wready_o,
  /// AXI4-Lite write data.
  input  logic [                                  31:0] axil_wdata_i,
  /// AXI4-Lite write data.
  input  logic [                                   3:0] axil_wstrb_i,
  /// AXI4-Lite write response.
  output logic                                          axil_bvalid_o,
  /// AXI4-Lite write response.
  input  logic                                          axil_bready_i,
  /// AXI4-Lite write response.
  output logic [                                   1:0] axil_bresp_o,
  /// AXI4-Lite read address.
  input  logic                                          axil_arvalid_i,
  /// AXI4-Lite read address.
  output logic                                          axil_arready_o,
  /// AXI4-Lite read address.
  input  logic [            xt_pkg::RegAddressBits-1:0] axil_araddr_i,
  /// AXI4-Lite read data.
  output logic                                          axil_rvalid_o,
  /// AXI4-Lite read data.
  input  logic                                          axil_rready_i,
  /// AXI4-Lite read data.
  output logic [                                  31:0] axil_rdata_o,
  /// AXI4-Lite read data.
  output logic [                                   1:0] axil_rresp_o,

  /// A pulse: a link has come up or gone down, a packet had an error, or an input stalls.
  output logic                                          attention_o,
  /// No packet is in the card and no state moves: without an input the state stays the same.
  output logic                                          idle_o
);

  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1);
  localparam int StoredBits = xt_pkg::CellBits + xt_pkg::HasLinkLayer;
  localparam int FreeBits = xt_pkg::CellAddrBits + 1;
  localparam int Links = xt_pkg::LinkPorts;
  localparam int Ports = xt_pkg::Ports;
  localparam int Tcs = xt_pkg::Tcs;
  localparam int VcBits = xt_pkg::VcBits;
  localparam int IdBits = xt_pkg::IdBits;
  localparam int StoredEntryBits = xt_pkg::EntryStoredBits;
  // A cycle for every queue, cell, word of a table and counter.
  localparam int Queues = Links * xt_pkg::Vcs + xt_pkg::NicPorts * Tcs + 1;
  function automatic int larger(input int a, input int b);
    larger = (a > b) ? a : b;
  endfunction
  localparam int InitCycles =
      larger(larger(2 ** (xt_pkg::TableAddrBits + xt_pkg::BlockRamOnly), xt_pkg::BufferCells), larger(Queues, 64 * Ports));

  xt_profile_check i_profile_check ();

  // ---------------------------------------------------------------- initialisation
  logic        init_q;
  logic        init_late_q;  // one cycle later, for registers off the critical path
  logic [$clog2(InitCycles)-1:0] init_addr_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      init_q      <= 1'b1;
      init_addr_q <= '0;
    end else if (init_q) begin
      init_addr_q <= init_addr_q + 1'b1;
      if (32'(init_addr_q) == InitCycles - 1) init_q <= 1'b0;
    end
    init_late_q <= init_q;
  end

  // ---------------------------------------------------------------- switch
  logic [           Ports-1:0] in_valid, in_credit, out_valid, out_credit;
  logic [    Ports*VcBits-1:0] in_vc, in_credit_vc, lookahead_vc;
  logic [    Links*VcBits-1:0] out_vc;
  logic [    Ports*IdBits-1:0] lookahead_dest;
  logic [           Ports-1:0] lookahead_valid, lookahead_other;
  logic [    Ports*VcBits-1:0] lookahead_other_vc;
  logic [    Ports*IdBits-1:0] lookahead_other_dest;
  logic [Ports*StoredBits-1:0] in_cell, out_cell;
  logic [    Links*VcBits-1:0] out_credit_vc;

  logic [          IdBits-1:0] own;
  logic [             Tcs-1:0] order;
  logic [      Tcs*IdBits-1:0] mask;
  logic [           Ports-1:0] grt_we, lrt_we;
  logic [           Ports-1:0] table_read, table_grant;
  logic                        table_read_grt;
  logic [xt_pkg::TableAddrBits-1:0] index;
  logic [ StoredEntryBits-1:0] wentry;
  logic [ StoredEntryBits-1:0] table_rdata;

  logic [           Ports-1:0] received, received_first, sent_first, illegal, damaged, waiting, served, sending;
  logic [Ports*xt_pkg::TcBits-1:0] received_tc, sent_tc;
  logic [       Ports*Tcs-1:0] stall_credit, stall_grant;
  logic [        Ports*64-1:0] header;
  logic [  Ports*FreeBits-1:0] free, least_free;
  logic [ Ports*CountBits-1:0] used;
  logic [xt_pkg::LinkPorts*VcBits-1:0] read_vc;
  logic                        switch_active, registers_active, counters_busy;

  logic [           Ports-1:0] quiesce, hold, port_idle, port_idle_q, wake, port_clk;
  logic [           Links-1:0] link_hold, link_down, link_restart, link_active, link_busy, link_disable, link_retrain;
  logic [         Links*2-1:0] link_state;
  logic [         Links*3-1:0] link_cause;
  logic [           Links-1:0] crc_error, nack, replay, timeout, retrain, cut, dropped;
  logic [                15:0] link_timeout, link_keepalive, adaptive_low, adaptive_high, patience, stall_limit, inject_wait, inject_room;
  logic [                 7:0] link_retry_limit;
  logic                        link_retries, link_keeps_alive;
  logic [                 1:0] select;
  logic [           Links-1:0] internal, middle;
  logic [     Ports*Tcs*4-1:0] weight;
  logic [        Links*12-1:0] ring, vc_ring_from;
  logic [     Links*Links-1:0] entrants_next;
  logic                        stamp, clear_high_water, clear_latency;
  logic [xt_pkg::NicPorts-1:0] framing, nic_active, histogram_active;
  logic [           Ports-1:0] poisoned, stalled;
  logic [$clog2(xt_pkg::LatencyBins)-1:0] latency_bin;
  logic [xt_pkg::NicPorts*32-1:0] latency_count;
  logic                        counter_read, counter_due, counter_valid;
  logic [xt_pkg::PortBits-1:0] counter_port;
  logic [                 5:0] counter_offset;
  logic [                31:0] counter_data;
  logic [           Ports-1:0] counter_wrapped;
  logic [         Ports*4-1:0] error_event;
  logic [xt_pkg::NicPorts*64-1:0] delivered_header;
  logic [                15:0] time_q, now_q, expiry;

  // The retry timers of all links end by one time.
  assign expiry = now_q + link_timeout;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) time_q <= '0;
    else if (stamp) time_q <= time_q + 1'b1;
    if (!rst_ni) now_q <= '0;
    else if (xt_pkg::NoSkip != 0 || link_busy != '0) now_q <= now_q + 1'b1;
  end

  xt_switch i_switch (
    .clk_i, .rst_ni,
    .init_i                (init_q),
    .init_addr_i           (16'(init_addr_q)),
    .wake_i(wake), .port_clk_o(port_clk),
    .lookahead_vc_i        (lookahead_vc),
    .lookahead_dest_i      (lookahead_dest),
    .lookahead_other_i     (lookahead_other),
    .lookahead_other_vc_i  (lookahead_other_vc),
    .lookahead_other_dest_i(lookahead_other_dest),
    .lookahead_valid_i     (lookahead_valid),
    .valid_i               (in_valid),
    .vc_i                  (in_vc),
    .cell_i                (in_cell),
    .credit_o              (in_credit),
    .credit_vc_o           (in_credit_vc),
    .valid_o               (out_valid),
    .vc_o                  (out_vc),
    .cell_o                (out_cell),
    .credit_i              (out_credit),
    .credit_vc_i           (out_credit_vc),
    .hold_i(hold), .down_i(link_down), .restart_i(link_restart),
    .select_i(select), .low_i(adaptive_low), .high_i(adaptive_high),
    .internal_i(internal), .middle_i(middle), .patience_i(patience),
    .inject_wait_i(inject_wait), .inject_room_i(inject_room),
    .ring_i(ring), .vc_ring_from_i(vc_ring_from), .entrants_next_i(entrants_next),
    .weight_i              (weight),
    .own_i(own), .order_i(order), .mask_i(mask),
    .grt_we_i(grt_we), .lrt_we_i(lrt_we), .index_i(index), .wdata_i(wentry),
    .table_read_i          (table_read),
    .table_read_grt_i      (table_read_grt),
    .table_grant_o         (table_grant),
    .table_rdata_o         (table_rdata),
    .received_o(received), .received_first_o(received_first), .received_tc_o(received_tc),
    .sent_first_o(sent_first), .sent_tc_o(sent_tc),
    .stall_credit_o(stall_credit), .stall_grant_o(stall_grant),
    .illegal_o             (illegal),
    .damaged_o             (damaged),
    .header_o              (header),
    .waiting_o             (waiting),
    .served_o              (served),
    .sending_o             (sending),
    .free_o                (free),
    .read_vc_i             (read_vc),
    .read_used_o           (used),
    .active_o              (switch_active)
  );

  // ---------------------------------------------------------------- links
  // With clock gates a simulator evaluates frames when the clock is high, and not once more when it is low.
  logic [Links-1:0] frame_valid;
  assign frame_valid = link_valid_i & {Links{xt_pkg::ClockGates == 0 || clk_i}};

  for (genvar p = 0; p < Links; p++) begin : g_link
    assign lookahead_other[p]                     = 1'b0;
    assign lookahead_other_vc[p*VcBits+:VcBits]   = '0;
    assign lookahead_other_dest[p*IdBits+:IdBits] = '0;

    localparam int Cycles = (NarrowLinks[p] || FrameCycles < 1) ? FrameCycles : 1;
    xt_link_port #(.FrameCycles(Cycles)) i_port (
      .clk_i(port_clk[p]), .rst_ni,
      .link_valid_i     (frame_valid[p]),
      .link_frame_i     (link_frame_i[p*xt_pkg::FrameBits+:xt_pkg::FrameBits]),
      .link_valid_o     (link_valid_o[p]),
      .link_frame_o     (link_frame_o[p*xt_pkg::FrameBits+:xt_pkg::FrameBits]),
      .tx_valid_i       (out_valid[p]),
      .tx_vc_i          (out_vc[p*VcBits+:VcBits]),
      .tx_cell_i        (out_cell[p*StoredBits+:StoredBits]),
      .tx_credit_valid_i(in_credit[p]),
      .tx_credit_vc_i   (in_credit_vc[p*VcBits+:VcBits]),
      .rx_valid_o       (in_valid[p]),
      .rx_vc_o          (in_vc[p*VcBits+:VcBits]),
      .rx_cell_o        (in_cell[p*StoredBits+:StoredBits]),
      .rx_credit_valid_o(out_credit[p]),
      .rx_credit_vc_o   (out_credit_vc[p*VcBits+:VcBits]),
      .lookahead_valid_o(lookahead_valid[p]),
      .lookahead_vc_o   (lookahead_vc[p*VcBits+:VcBits]),
      .lookahead_dest_o (lookahead_dest[p*IdBits+:IdBits]),
      .hold_o           (link_hold[p]),
      .down_o           (link_down[p]),
      .restart_o        (link_restart[p]),
      .input_empty_i    (~init_q & ~waiting[p]),
      .retrain_i        (link_retrain[p]),
      .disable_i        (link_disable[p]),
      .now_i(now_q), .expiry_i(expiry),
      .retry_limit_i    (link_retry_limit),
      .retries_i        (link_retries),
      .keepalive_i      (link_keepalive),
      .keeps_alive_i    (link_keeps_alive),
      .state_o          (link_state[p*2+:2]),
      .cause_o          (link_cause[p*3+:3]),
      .crc_error_o      (crc_error[p]),
      .nack_o           (nack[p]),
      .replay_o         (replay[p]),
      .timeout_o        (timeout[p]),
      .retrain_o        (retrain[p]),
      .cut_o            (cut[p]),
      .dropped_o        (dropped[p]),
      .active_o         (link_active[p]),
      .busy_o           (link_busy[p])
    );
    // A link with frames of several cycles counts them without end.
    assign wake[p]      = init_q | registers_active | link_valid_i[p] | link_active[p] | link_retrain[p] | link_disable[p]
                        | (link_state[p*2+:2] != 2'd1) | (Cycles != 1);
    assign hold[p]      = link_hold[p] | quiesce[p];
    assign poisoned[p]  = cut[p];
    assign port_idle[p] = ~waiting[p] & ~sending[p] & ~link_busy[p] & ~in_valid[p];
  end

  // ---------------------------------------------------------------- NIC ports
  for (genvar n = 0; n < xt_pkg::NicPorts; n++) begin : g_nic
    localparam int P = Links + n;
    logic nic_sending;

    // A table read goes first at a NIC port: no packet starts without its route.
    assign lookahead_valid[P] = 1'b0;

    xt_nic_port #(.StoreForward(StoreForward)) i_port (
      .clk_i(port_clk[P]), .rst_ni,
      .ready_i               (~init_q),
      .quiesce_i             (quiesce[P]),
      .unrouted_i            (table_grant[P]),
      .stamp_i               (stamp),
      .time_i                (time_q),
      .tvalid_i              (nic_tvalid_i[n]),
      .tready_o              (nic_tready_o[n]),
      .tdata_i               (nic_tdata_i[n*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .tlast_i               (nic_tlast_i[n]),
      .tvalid_o              (nic_tvalid_o[n]),
      .tready_i              (nic_tready_i[n]),
      .tdata_o               (nic_tdata_o[n*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .tlast_o               (nic_tlast_o[n]),
      .tuser_o               (nic_tuser_o[n]),
      .in_valid_o            (in_valid[P]),
      .in_vc_o               (in_vc[P*VcBits+:VcBits]),
      .in_cell_o             (in_cell[P*StoredBits+:StoredBits]),
      .in_credit_i           (in_credit[P]),
      .in_credit_vc_i        (in_credit_vc[P*VcBits+:VcBits]),
      .lookahead_vc_o        (lookahead_vc[P*VcBits+:VcBits]),
      .lookahead_dest_o      (lookahead_dest[P*IdBits+:IdBits]),
      .lookahead_other_o     (lookahead_other[P]),
      .lookahead_other_vc_o  (lookahead_other_vc[P*VcBits+:VcBits]),
      .lookahead_other_dest_o(lookahead_other_dest[P*IdBits+:IdBits]),
      .out_valid_i           (out_valid[P]),
      .out_cell_i            (out_cell[P*StoredBits+:StoredBits]),
      .out_credit_o          (out_credit[P]),
      .framing_error_o       (framing[n]),
      .poisoned_o            (poisoned[P]),
      .header_o              (delivered_header[n*64+:64]),
      .clear_latency_i       (clear_latency),
      .latency_bin_i         (latency_bin),
      .latency_count_o       (latency_count[n*32+:32]),
      .sending_o             (nic_sending),
      .active_o              (nic_active[n]),
      .histogram_active_o    (histogram_active[n])
    );

    assign wake[P]                = init_q | registers_active | nic_tvalid_i[n] | nic_active[n] | histogram_active[n];
    assign hold[P]                = quiesce[P];
    assign port_idle[P]           = ~waiting[P] & ~sending[P] & ~nic_sending & ~in_valid[P];
  end

  // ---------------------------------------------------------------- counters and marks
  xt_port_counters i_port_counters (
    .clk_i, .rst_ni,
    .init_i        (init_q),
    .init_addr_i   (16'(init_addr_q)),
    .rx_valid_i(received), .rx_first_i(received_first), .rx_tc_i(received_tc),
    .tx_valid_i(out_valid), .tx_first_i(sent_first), .tx_tc_i(sent_tc),
    .stall_credit_i(stall_credit), .stall_grant_i(stall_grant),
    .illegal_i     (illegal | damaged),
    .poisoned_i(poisoned), .framing_i(framing),
    .dropped_i(dropped), .crc_error_i(crc_error), .nack_i(nack),
    .replay_i(replay), .timeout_i(timeout), .retrain_i(retrain),
    .read_i        (counter_read),
    .read_port_i   (counter_port),
    .read_offset_i (counter_offset),
    .read_due_o(counter_due), .read_valid_o(counter_valid), .read_data_o(counter_data), .wrapped_o(counter_wrapped),
    .busy_o        (counters_busy)
  );

  for (genvar p = 0; p < Ports; p++) begin : g_port
    if (xt_pkg::HasMonitors != 0) begin : g_monitors
      xt_high_water #(
        .Cells(xt_pkg::BufferCells)
      ) i_high_water (
        .clk_i(port_clk[p]), .rst_ni,
        .clear_i     (clear_high_water),
        .free_i      (free[p*FreeBits+:FreeBits]),
        .init_i      (init_late_q),
        .least_free_o(least_free[p*FreeBits+:FreeBits])
      );

      xt_stall_watchdog i_stall_watchdog (
        .clk_i(port_clk[p]), .rst_ni,
        .nonempty_i(waiting[p] & ~init_late_q),
        .served_i  (served[p]),
        .limit_i   (stall_limit),
        .timeout_o (stalled[p])
      );
    end else begin : g_no_monitors
      assign least_free[p*FreeBits+:FreeBits] = '0;
      assign stalled[p]                       = 1'b0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = served[p] | (p == 0 && (clear_high_water || stall_limit != '0 || init_late_q));
      // verilator lint_on UNUSEDSIGNAL
    end

    assign error_event[p*4+:4] = {damaged[p], poisoned[p], stalled[p], illegal[p]};
  end

  // ---------------------------------------------------------------- attention
  logic [Links-1:0] up, up_q;

  for (genvar p = 0; p < Links; p++) begin : g_up
    assign up[p] = link_state[p*2+:2] == 2'd1;
  end
  always_ff @(posedge clk_i) begin
    up_q        <= up;
    attention_o <= rst_ni & (up != up_q || error_event != '0 || framing != '0);
  end

  // ---------------------------------------------------------------- idleness
  logic traffic_quiet;

  xt_idle_detector i_idle_detector (
    .clk_i, .rst_ni,
    .traffic_i({switch_active, nic_active != '0, link_busy != '0, init_q}),
    .other_i  ({link_active != '0, registers_active || counters_busy || histogram_active != '0 || stamp}),
    .traffic_quiet_o(traffic_quiet),
    .idle_o
  );

  // One cycle for the wires to the registers.
  always_ff @(posedge clk_i) port_idle_q <= port_idle;

  // ---------------------------------------------------------------- registers
  logic registers_clk;
  xt_clock_gate i_clock_gate (
    .clk_i, .rst_ni,
    .busy_i(init_q | registers_active | (error_event != '0) | (counter_wrapped != '0)),
    .clk_o (registers_clk)
  );
  xt_registers i_registers (
    .clk_i(registers_clk), .rst_ni,
    .awvalid_i(axil_awvalid_i), .awready_o(axil_awready_o),
    .awaddr_i(axil_awaddr_i), .wvalid_i(axil_wvalid_i),
    .wready_o(axil_wready_o), .wdata_i(axil_wdata_i),
    .wstrb_i(axil_wstrb_i), .bvalid_o(axil_bvalid_o),
    .bready_i(axil_bready_i), .bresp_o(axil_bresp_o),
    .arvalid_i(axil_arvalid_i), .arready_o(axil_arready_o),
    .araddr_i(axil_araddr_i), .rvalid_o(axil_rvalid_o),
    .rready_i(axil_rready_i), .rdata_o(axil_rdata_o),
    .rresp_o            (axil_rresp_o),
    .ready_i            (~init_q),
    .init_addr_i        (16'(init_addr_q)),
    .idle_i             (traffic_quiet),
    .own_o              (own),
    .order_o            (order),
    .mask_o             (mask),
    .adaptive_select_o(select), .adaptive_low_o(adaptive_low),
    .adaptive_high_o(adaptive_high), .adaptive_internal_o(internal),
    .adaptive_middle_o(middle), .adaptive_patience_o(patience),
    .quiesce_o          (quiesce),
    .inject_wait_o(inject_wait), .inject_room_o(inject_room),
    .link_disable_o(link_disable), .link_retrain_o(link_retrain),
    .link_timeout_o(link_timeout), .link_retry_limit_o(link_retry_limit),
    .link_retries_o(link_retries), .link_keepalive_o(link_keepalive),
    .link_keeps_alive_o (link_keeps_alive),
    .stall_timeout_o    (stall_limit),
    .weight_o           (weight),
    .ring_o(ring), .vc_ring_from_o(vc_ring_from),
    .entrants_next_o    (entrants_next),
    .stamp_o            (stamp),
    .clear_high_water_o (clear_high_water),
    .clear_latency_o    (clear_latency),
    .port_idle_i        (port_idle_q),
    .least_free_i       (least_free),
    .link_state_i       (link_state),
    .link_cause_i       (link_cause),
    .error_event_i      (error_event),
    .error_header_i     (header),
    .delivered_header_i (delivered_header),
    .grt_we_o(grt_we), .lrt_we_o(lrt_we), .index_o(index), .wentry_o(wentry),
    .table_rdata_i      (table_rdata),
    .table_read_o       (table_read),
    .table_read_grt_o   (table_read_grt),
    .table_grant_i      (table_grant != '0),
    .read_vc_o(read_vc), .used_i(used), .free_i(free),
    .counter_read_o(counter_read), .counter_port_o(counter_port),
    .counter_offset_o(counter_offset), .counter_due_i(counter_due), .counter_valid_i(counter_valid),
    .counter_data_i(counter_data), .counter_wrapped_i(counter_wrapped), .latency_bin_o(latency_bin),
    .latency_count_i    (latency_count),
    .active_o           (registers_active)
  );

endmodule

`default_nettype wire
