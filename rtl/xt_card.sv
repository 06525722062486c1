// SPDX-License-Identifier: Apache-2.0
//
// One card: the switch, its NIC adapters, registers and counters. Its shape is the profile's, from the
// generated xt_pkg.
//
// Links carry one cell per cycle with its VC, and credits the other way, one per freed cell. The cells of
// a packet are contiguous in order on a link (other cycles may be empty) and on one VC; the header's
// length says where it ends.
//
// After reset a card initialises tables (every route invalid) and free lists; until STATUS.ready nothing
// may arrive.
//
// Latency: 5 cycles from link pin to link pin; 2 more where a packet enters or leaves by a NIC.
`default_nettype none

module xt_card (
  /// Clock.
  input  logic                                          clk_i,
  /// Reset, active low, synchronous.
  input  logic                                          rst_ni,

  /// Links in: a cell arrives.
  input  logic [                 xt_pkg::LinkPorts-1:0] link_valid_i,
  /// Links in: its VC.
  input  logic [  xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] link_vc_i,
  /// Links in: the cell.
  input  logic [xt_pkg::LinkPorts*xt_pkg::CellBits-1:0] link_cell_i,
  /// Credits out, for cells that came in: one was freed.
  output logic [                 xt_pkg::LinkPorts-1:0] credit_valid_o,
  /// Credits out: its VC.
  output logic [  xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] credit_vc_o,
  /// Links out: a cell leaves.
  output logic [                 xt_pkg::LinkPorts-1:0] link_valid_o,
  /// Links out: its VC.
  output logic [  xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] link_vc_o,
  /// Links out: the cell.
  output logic [xt_pkg::LinkPorts*xt_pkg::CellBits-1:0] link_cell_o,
  /// Credits in, for cells that left: one was freed.
  input  logic [                 xt_pkg::LinkPorts-1:0] credit_valid_i,
  /// Credits in: its VC.
  input  logic [  xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] credit_vc_i,

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

  /// Nothing is in the card and nothing moves: without an input its state stays as it is.
  output logic                                          idle_o
);

  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1);
  // A cycle for every queue, cell and table entry.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1;
  localparam int TableEntries = 2 ** xt_pkg::LrtBits;
  localparam int Longer = (TableEntries > xt_pkg::BufferCells) ? TableEntries : xt_pkg::BufferCells;
  localparam int InitCycles = (Longer > Queues) ? Longer : Queues;
  // Cycles without activity after which the card says it is idle: more than any pipeline is deep.
  localparam logic [3:0] QuietCycles = 4'd8;

  // ---------------------------------------------------------------- initialisation
  logic        init_q;
  logic [15:0] init_addr_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      init_q      <= 1'b1;
      init_addr_q <= '0;
    end else if (init_q) begin
      init_addr_q <= init_addr_q + 1'b1;
      if (init_addr_q == 16'(InitCycles - 1)) init_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------- switch
  logic [                 xt_pkg::Ports-1:0] in_valid, in_credit, out_valid, out_credit;
  logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] in_vc, in_credit_vc, out_vc;
  logic [xt_pkg::Ports*xt_pkg::CellBits-1:0] in_cell, out_cell;

  logic [         xt_pkg::IdBits-1:0] own;
  logic [            xt_pkg::Tcs-1:0] order;
  logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask;
  logic [          xt_pkg::Ports-1:0] grt_we, lrt_we;
  logic [        xt_pkg::LrtBits-1:0] index;
  logic [      xt_pkg::EntryBits-1:0] wentry;
  logic [xt_pkg::Ports*xt_pkg::EntryBits-1:0] grt_rdata, lrt_rdata;

  logic [          xt_pkg::Ports-1:0] received, received_first, sent_first;
  logic [xt_pkg::Ports*xt_pkg::TcBits-1:0] received_tc;
  logic [       xt_pkg::Ports*32-1:0] illegal, rx_packets, rx_cells, tx_packets, tx_cells;
  logic [    xt_pkg::NicPorts*32-1:0] framing_errors;
  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] free;
  logic [xt_pkg::Ports*CountBits-1:0] used;
  logic [         xt_pkg::TcBits-1:0] read_tc;
  logic [         xt_pkg::VcBits-1:0] read_vc;
  logic                               switch_active, registers_active;
  logic [       xt_pkg::NicPorts-1:0] inject_active, eject_active;

  assign in_valid[xt_pkg::LinkPorts-1:0]                                = link_valid_i;
  assign in_vc[xt_pkg::LinkPorts*xt_pkg::VcBits-1:0]                    = link_vc_i;
  assign in_cell[xt_pkg::LinkPorts*xt_pkg::CellBits-1:0]                = link_cell_i;
  assign credit_valid_o                                                 = in_credit[xt_pkg::LinkPorts-1:0];
  assign credit_vc_o    = in_credit_vc[xt_pkg::LinkPorts*xt_pkg::VcBits-1:0];
  assign link_valid_o                                                   = out_valid[xt_pkg::LinkPorts-1:0];
  assign link_vc_o      = out_vc[xt_pkg::LinkPorts*xt_pkg::VcBits-1:0];
  assign link_cell_o    = out_cell[xt_pkg::LinkPorts*xt_pkg::CellBits-1:0];
  assign out_credit[xt_pkg::LinkPorts-1:0]                              = credit_valid_i;

  xt_switch i_switch (
    .clk_i,
    .rst_ni,
    .init_i          (init_q),
    .init_addr_i     (init_addr_q),
    .valid_i         (in_valid),
    .vc_i            (in_vc),
    .cell_i          (in_cell),
    .credit_o        (in_credit),
    .credit_vc_o     (in_credit_vc),
    .valid_o         (out_valid),
    .vc_o            (out_vc),
    .cell_o          (out_cell),
    .credit_i        (out_credit),
    .credit_vc_i     (credit_vc_i),
    .own_i           (own),
    .order_i         (order),
    .mask_i          (mask),
    .grt_we_i        (init_q ? '1 : grt_we),
    .lrt_we_i        (init_q ? '1 : lrt_we),
    .index_i         (init_q ? init_addr_q[xt_pkg::LrtBits-1:0] : index),
    .wdata_i         (init_q ? '0 : wentry),
    .grt_rdata_o     (grt_rdata),
    .lrt_rdata_o     (lrt_rdata),
    .received_o      (received),
    .received_first_o(received_first),
    .received_tc_o   (received_tc),
    .sent_first_o    (sent_first),
    .illegal_o       (illegal),
    .free_o          (free),
    .read_vc_i       (read_vc),
    .read_used_o     (used),
    .active_o        (switch_active)
  );

  // ---------------------------------------------------------------- NIC ports
  for (genvar n = 0; n < xt_pkg::NicPorts; n++) begin : g_nic
    xt_nic_inject i_inject (
      .clk_i,
      .rst_ni,
      .ready_i         (~init_q),
      .tvalid_i        (nic_tvalid_i[n]),
      .tready_o        (nic_tready_o[n]),
      .tdata_i         (nic_tdata_i[n*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .tlast_i         (nic_tlast_i[n]),
      .valid_o         (in_valid[xt_pkg::LinkPorts+n]),
      .vc_o            (in_vc[(xt_pkg::LinkPorts+n)*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .cell_o          (in_cell[(xt_pkg::LinkPorts+n)*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .credit_i        (in_credit[xt_pkg::LinkPorts+n]),
      .credit_vc_i     (in_credit_vc[(xt_pkg::LinkPorts+n)*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .framing_errors_o(framing_errors[n*32+:32]),
      .active_o        (inject_active[n])
    );

    xt_nic_eject i_eject (
      .clk_i,
      .rst_ni,
      .valid_i (out_valid[xt_pkg::LinkPorts+n]),
      .cell_i  (out_cell[(xt_pkg::LinkPorts+n)*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .credit_o(out_credit[xt_pkg::LinkPorts+n]),
      .tvalid_o(nic_tvalid_o[n]),
      .tready_i(nic_tready_i[n]),
      .tdata_o (nic_tdata_o[n*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .tlast_o (nic_tlast_o[n]),
      .active_o(eject_active[n])
    );
  end

  // ---------------------------------------------------------------- counters
  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_counters
    logic [xt_pkg::TcBits-1:0] sent_tc;

    if (p < xt_pkg::LinkPorts) begin : g_link
      logic [xt_pkg::TcBits-1:0] tc;
      always_comb begin
        tc = '0;
        for (int v = 0; v < xt_pkg::Vcs; v++) begin
          if (out_vc[p*xt_pkg::VcBits+:xt_pkg::VcBits] == v[xt_pkg::VcBits-1:0])
            tc = xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
        end
      end
      assign sent_tc = tc;
    end else begin : g_nic
      logic [xt_pkg::TcBits-1:0] tc;
      always_comb begin
        tc = '0;
        for (int t = 0; t < xt_pkg::Tcs; t++) begin
          if (out_vc[p*xt_pkg::VcBits+:xt_pkg::VcBits] == xt_pkg::VcBits'(t)) tc = t[xt_pkg::TcBits-1:0];
        end
      end
      assign sent_tc = tc;
    end

    xt_traffic_counters i_received (
      .clk_i,
      .init_i     (init_q),
      .init_addr_i(init_addr_q),
      .valid_i    (received[p]),
      .first_i    (received_first[p]),
      .tc_i       (received_tc[p*xt_pkg::TcBits+:xt_pkg::TcBits]),
      .read_tc_i  (read_tc),
      .packets_o  (rx_packets[p*32+:32]),
      .cells_o    (rx_cells[p*32+:32])
    );

    xt_traffic_counters i_sent (
      .clk_i,
      .init_i     (init_q),
      .init_addr_i(init_addr_q),
      .valid_i    (out_valid[p]),
      .first_i    (sent_first[p]),
      .tc_i       (sent_tc),
      .read_tc_i  (read_tc),
      .packets_o  (tx_packets[p*32+:32]),
      .cells_o    (tx_cells[p*32+:32])
    );
  end

  // ---------------------------------------------------------------- idleness
  // Without traffic for QuietCycles; idle_o also waits for the registers.
  logic [3:0] traffic_quiet_q, quiet_q;
  logic       traffic_active;

  assign traffic_active = init_q | switch_active | (inject_active != '0) | (eject_active != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      traffic_quiet_q <= '0;
      quiet_q         <= '0;
    end else begin
      if (traffic_active) traffic_quiet_q <= '0;
      else if (traffic_quiet_q != QuietCycles) traffic_quiet_q <= traffic_quiet_q + 1'b1;
      if (traffic_active || registers_active) quiet_q <= '0;
      else if (quiet_q != QuietCycles) quiet_q <= quiet_q + 1'b1;
    end
  end

  assign idle_o = quiet_q == QuietCycles;

  // ---------------------------------------------------------------- registers
  xt_registers i_registers (
    .clk_i,
    .rst_ni,
    .awvalid_i       (axil_awvalid_i),
    .awready_o       (axil_awready_o),
    .awaddr_i        (axil_awaddr_i),
    .wvalid_i        (axil_wvalid_i),
    .wready_o        (axil_wready_o),
    .wdata_i         (axil_wdata_i),
    .wstrb_i         (axil_wstrb_i),
    .bvalid_o        (axil_bvalid_o),
    .bready_i        (axil_bready_i),
    .bresp_o         (axil_bresp_o),
    .arvalid_i       (axil_arvalid_i),
    .arready_o       (axil_arready_o),
    .araddr_i        (axil_araddr_i),
    .rvalid_o        (axil_rvalid_o),
    .rready_i        (axil_rready_i),
    .rdata_o         (axil_rdata_o),
    .rresp_o         (axil_rresp_o),
    .ready_i         (~init_q),
    .idle_i          (traffic_quiet_q == QuietCycles),
    .own_o           (own),
    .order_o         (order),
    .mask_o          (mask),
    .grt_we_o        (grt_we),
    .lrt_we_o        (lrt_we),
    .index_o         (index),
    .wentry_o        (wentry),
    .grt_rdata_i     (grt_rdata),
    .lrt_rdata_i     (lrt_rdata),
    .read_tc_o       (read_tc),
    .read_vc_o       (read_vc),
    .rx_packets_i    (rx_packets),
    .rx_cells_i      (rx_cells),
    .tx_packets_i    (tx_packets),
    .tx_cells_i      (tx_cells),
    .illegal_i       (illegal),
    .framing_errors_i(framing_errors),
    .free_i          (free),
    .used_i          (used),
    .active_o        (registers_active)
  );

endmodule

`default_nettype wire
