// SPDX-License-Identifier: Apache-2.0
//
// The content of a board's chip without its pins: a bridge and one card, or the two cards of a twin node with the
// internal link between them. Beside each card are the board's own registers, and a traffic generator and checker for
// each NIC port.
//
// A request RESET resets one card. Without a link layer both ends of the internal link count its credits, so the request
// resets both cards. What is on the internal link to a card in reset is lost.
//
// Latency: LinkLatency cycles on an internal link; elsewhere that of the parts.
// Speed: the parts decide; this module adds wires and the registers of internal links.
`default_nettype none

module xt_board #(
  /// 1, or 2: a twin node.
  parameter int Cards = 2,
  /// Port of the internal link.
  parameter int InternalPort = (xt_pkg::LinkPorts > 3) ? 3 : xt_pkg::LinkPorts - 1,
  /// Clock of the cards in kHz; 0: not known.
  parameter int ClockKhz = 0,
  /// 1: traffic generators.
  parameter int Traffic = 1,
  /// Columns of their tables of destinations, a power of two up to 512; 0: they have none.
  parameter int TrafficTable = 512,
  /// Bit per link, numbered as link_valid_i: the link has pins.
  parameter logic [Cards*xt_pkg::LinkPorts-1:0] Pins = '0,
  /// Cycles of a frame on pins.
  parameter int FrameCycles = 1,
  /// Words of each queue to a NIC port.
  parameter int InjectWords = 512,
  /// Words of each queue from a NIC port.
  parameter int ReceiveWords = 1024
) (
  /// Clock.
  input  logic        clk_i,
  /// Reset, active low, synchronous.
  input  logic        rst_ni,
  /// Serial number.
  input  logic [63:0] serial_i,
  /// The host configures the interface.
  input  logic        restart_i,

  /// Bytes from the host.
  input  logic        rx_valid_i,
  /// Bytes from the host.
  output logic        rx_ready_o,
  /// Bytes from the host.
  input  logic [ 7:0] rx_byte_i,
  /// Bytes to the host.
  output logic        tx_valid_o,
  /// Bytes to the host.
  input  logic        tx_ready_i,
  /// Bytes to the host.
  output logic [ 7:0] tx_byte_o,

  /// Links in: a frame arrives. Port p of card c is number c * LinkPorts + p; frames at an internal port are ignored.
  input  logic [                  Cards*xt_pkg::LinkPorts-1:0] link_valid_i,
  /// Links in: the frame.
  input  logic [Cards*xt_pkg::LinkPorts*xt_pkg::FrameBits-1:0] link_frame_i,
  /// Links out: a frame leaves.
  output logic [                  Cards*xt_pkg::LinkPorts-1:0] link_valid_o,
  /// Links out: the frame.
  output logic [Cards*xt_pkg::LinkPorts*xt_pkg::FrameBits-1:0] link_frame_o,
  /// Links: bit error test, as xt_phy.
  output logic [                  Cards*xt_pkg::LinkPorts-1:0] test_o,
  /// Links: each hears itself, as xt_phy.
  output logic [                  Cards*xt_pkg::LinkPorts-1:0] loop_o,
  /// Links: this end is aligned.
  input  logic [                  Cards*xt_pkg::LinkPorts-1:0] locked_i,
  /// Links: both ends are.
  input  logic [                  Cards*xt_pkg::LinkPorts-1:0] up_i,
  /// Links: an idle word has come.
  input  logic [                  Cards*xt_pkg::LinkPorts-1:0] idle_word_i,
  /// Links: wrong bits of that word.
  input  logic [                8*Cards*xt_pkg::LinkPorts-1:0] wrong_i,
  /// Where the phase of the links' clock is to be, in steps, with a sign; the first card says so.
  output logic [                                          7:0] phase_o,
  /// 15:8 steps of a period, 0: the phase is fixed; 7:0 where the phase is.
  input  logic [                                         15:0] phase_i,

  /// Nothing is in the cards, nothing moves, and no event is to be told.
  output logic        idle_o
);

  localparam int Links = xt_pkg::LinkPorts;
  localparam int Nics = xt_pkg::NicPorts;
  localparam int FrameBits = xt_pkg::FrameBits;
  localparam int CellBits = xt_pkg::CellBits;

  // The same for all cards, so that synthesis has one kind of card. An internal link has no pins.
  localparam logic [Links-1:0] NarrowLinks = Pins[Links-1:0] | Pins[Links*(Cards-1)+:Links];

  // The internal link, as each card tells it.
  localparam logic [Links-1:0] Inside = (Cards == 2) ? Links'(1) << InternalPort : '0;

  if ((Cards != 1 && Cards != 2) || InternalPort < 0 || InternalPort >= Links) begin : g_illegal
    xt_board_has_one_or_two_cards_and_an_internal_port_that_exists i_illegal ();
  end

  localparam int WriteBits = (Links > 8) ? Links : 8;

  logic [8*Cards-1:0] phase;
  logic [Cards-1:0] card_rst_n, idle, attention, waits;
  logic [Cards-1:0] awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [2*Cards-1:0] bresp, rresp;
  logic [32*Cards-1:0] rdata;
  logic [31:0] wdata;
  logic [15:0] address;
  logic [Cards*Nics-1:0] to_valid, to_ready, to_last, from_valid, from_ready, from_last, from_user;
  logic [Cards*Nics*CellBits-1:0] to_data, from_data;
  logic [Cards*Nics-1:0] from_offer, from_room;  // received cells for the bridge
  logic [Cards*Links-1:0] in_valid, out_valid;
  logic [Cards*Links*FrameBits-1:0] in_frame, out_frame;

  assign idle_o = &idle & ~|waits;

  assign phase_o = phase[7:0];
  if (Cards == 2) begin : g_phase
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^phase[8*Cards-1:8];
    // verilator lint_on UNUSEDSIGNAL
  end

  assign link_valid_o = out_valid;
  assign link_frame_o = out_frame;

  xt_bridge #(
    .Cards       (Cards),
    .ClockKhz    (ClockKhz),
    .InjectWords (InjectWords),
    .ReceiveWords(ReceiveWords)
  ) i_bridge (
    .clk_i,
    .rst_ni,
    .serial_i,
    .restart_i,
    .rx_valid_i,
    .rx_ready_o,
    .rx_byte_i,
    .tx_valid_o,
    .tx_ready_i,
    .tx_byte_o,
    .card_rst_no   (card_rst_n),
    .attention_i   (attention),
    .axil_awvalid_o(awvalid),
    .axil_awready_i(awready),
    .axil_wvalid_o (wvalid),
    .axil_wready_i (wready),
    .axil_wdata_o  (wdata),
    .axil_bvalid_i (bvalid),
    .axil_bready_o (bready),
    .axil_bresp_i  (bresp),
    .axil_arvalid_o(arvalid),
    .axil_arready_i(arready),
    .axil_address_o(address),
    .axil_rvalid_i (rvalid),
    .axil_rready_o (rready),
    .axil_rdata_i  (rdata),
    .axil_rresp_i  (rresp),
    .nic_tvalid_o  (to_valid),
    .nic_tready_i  (to_ready),
    .nic_tdata_o   (to_data),
    .nic_tlast_o   (to_last),
    .nic_tvalid_i  (from_offer),
    .nic_tready_o  (from_room),
    .nic_tdata_i   (from_data),
    .nic_tlast_i   (from_last),
    .nic_tuser_i   (from_user)
  );

  for (genvar c = 0; c < Cards; c++) begin : g_card
    logic card_awvalid, card_awready, card_wvalid, card_wready, card_bvalid, card_bready;
    logic card_arvalid, card_arready, card_rvalid, card_rready;
    logic [1:0] card_bresp, card_rresp;
    logic card_attention;
    logic [31:0] card_rdata;
    logic [Nics-1:0] traffic_we, table_we, nic_valid, nic_ready, nic_last;
    logic [32*Nics-1:0] traffic_rdata;
    logic [Nics*CellBits-1:0] nic_data;

    xt_board_registers #(
      .Pins        (Pins[Links*c+:Links]),
      .Inside      (Inside),
      .Peer        (1 - c),
      .Traffic     (Traffic),
      .TrafficTable(TrafficTable),
      .FrameCycles (FrameCycles)
    ) i_registers (
      .clk_i,
      .rst_ni         (card_rst_n[c]),
      .address_i      (address),
      .wdata_i        (wdata[WriteBits-1:0]),
      .awvalid_i      (awvalid[c]),
      .awready_o      (awready[c]),
      .wvalid_i       (wvalid[c]),
      .wready_o       (wready[c]),
      .bvalid_o       (bvalid[c]),
      .bready_i       (bready[c]),
      .bresp_o        (bresp[2*c+:2]),
      .arvalid_i      (arvalid[c]),
      .arready_o      (arready[c]),
      .rvalid_o       (rvalid[c]),
      .rready_i       (rready[c]),
      .rdata_o        (rdata[32*c+:32]),
      .rresp_o        (rresp[2*c+:2]),
      .card_awvalid_o (card_awvalid),
      .card_awready_i (card_awready),
      .card_wvalid_o  (card_wvalid),
      .card_wready_i  (card_wready),
      .card_bvalid_i  (card_bvalid),
      .card_bready_o  (card_bready),
      .card_bresp_i   (card_bresp),
      .card_arvalid_o (card_arvalid),
      .card_arready_i (card_arready),
      .card_rvalid_i  (card_rvalid),
      .card_rready_o  (card_rready),
      .card_rdata_i   (card_rdata),
      .card_rresp_i   (card_rresp),
      .test_o         (test_o[Links*c+:Links]),
      .loop_o         (loop_o[Links*c+:Links]),
      .locked_i       (locked_i[Links*c+:Links]),
      .up_i           (up_i[Links*c+:Links]),
      .idle_i         (idle_word_i[Links*c+:Links]),
      .wrong_i        (wrong_i[8*Links*c+:8*Links]),
      .phase_o        (phase[8*c+:8]),
      .phase_i        ((c == 0) ? phase_i : 16'd0),
      .traffic_we_o   (traffic_we),
      .table_we_o     (table_we),
      .traffic_rdata_i(traffic_rdata)
    );

    for (genvar n = 0; n < Nics; n++) begin : g_nic
      localparam int N = c * Nics + n;
      if (Traffic != 0) begin : g_traffic
        xt_traffic #(
          .Table(TrafficTable)
        ) i_traffic (
          .clk_i,
          .rst_ni         (card_rst_n[c]),
          .we_i           (traffic_we[n]),
          .table_we_i     (table_we[n]),
          .address_i      (address[$clog2(xt_bridge_pkg::TrafficTableStride)-1:2]),
          .wdata_i        (wdata),
          .rdata_o        (traffic_rdata[32*n+:32]),
          .bridge_tvalid_i(to_valid[N]),
          .bridge_tready_o(to_ready[N]),
          .bridge_tdata_i (to_data[N*CellBits+:CellBits]),
          .bridge_tlast_i (to_last[N]),
          .card_tvalid_o  (nic_valid[n]),
          .card_tready_i  (nic_ready[n]),
          .card_tdata_o   (nic_data[n*CellBits+:CellBits]),
          .card_tlast_o   (nic_last[n]),
          .card_tvalid_i  (from_valid[N]),
          .card_tready_o  (from_ready[N]),
          .card_tdata_i   (from_data[N*CellBits+:CellBits]),
          .card_tlast_i   (from_last[N]),
          .card_tuser_i   (from_user[N]),
          .bridge_tvalid_o(from_offer[N]),
          .bridge_tready_i(from_room[N])
        );
      end else begin : g_no_traffic
        assign traffic_rdata[32*n+:32]        = '0;
        assign nic_valid[n]                   = to_valid[N];
        assign to_ready[N]                    = nic_ready[n];
        assign nic_data[n*CellBits+:CellBits] = to_data[N*CellBits+:CellBits];
        assign nic_last[n]                    = to_last[N];
        assign from_offer[N]                  = from_valid[N];
        assign from_ready[N]                  = from_room[N];
        // verilator lint_off UNUSEDSIGNAL
        wire unused = traffic_we[n] | table_we[n];
        // verilator lint_on UNUSEDSIGNAL
      end
    end

    xt_card #(
      .NarrowLinks(NarrowLinks),
      .FrameCycles(FrameCycles)
    ) i_card (
      .clk_i,
      .rst_ni        (card_rst_n[c]),
      .link_valid_i  (in_valid[Links*c+:Links]),
      .link_frame_i  (in_frame[Links*FrameBits*c+:Links*FrameBits]),
      .link_valid_o  (out_valid[Links*c+:Links]),
      .link_frame_o  (out_frame[Links*FrameBits*c+:Links*FrameBits]),
      .nic_tvalid_i  (nic_valid),
      .nic_tready_o  (nic_ready),
      .nic_tdata_i   (nic_data),
      .nic_tlast_i   (nic_last),
      .nic_tvalid_o  (from_valid[Nics*c+:Nics]),
      .nic_tready_i  (from_ready[Nics*c+:Nics]),
      .nic_tdata_o   (from_data[Nics*CellBits*c+:Nics*CellBits]),
      .nic_tlast_o   (from_last[Nics*c+:Nics]),
      .nic_tuser_o   (from_user[Nics*c+:Nics]),
      .axil_awvalid_i(card_awvalid),
      .axil_awready_o(card_awready),
      .axil_awaddr_i (address),
      .axil_wvalid_i (card_wvalid),
      .axil_wready_o (card_wready),
      .axil_wdata_i  (wdata),
      .axil_wstrb_i  (4'hf),
      .axil_bvalid_o (card_bvalid),
      .axil_bready_i (card_bready),
      .axil_bresp_o  (card_bresp),
      .axil_arvalid_i(card_arvalid),
      .axil_arready_o(card_arready),
      .axil_araddr_i (address),
      .axil_rvalid_o (card_rvalid),
      .axil_rready_i (card_rready),
      .axil_rdata_o  (card_rdata),
      .axil_rresp_o  (card_rresp),
      .attention_o   (card_attention),
      .idle_o        (idle[c])
    );

    xt_attention i_attention (
      .clk_i,
      .rst_ni     (card_rst_n[c]),
      .event_i    (card_attention),
      .attention_o(attention[c]),
      .waits_o    (waits[c])
    );

    // Wires one cycle long at least: the latency that the profile's buffers are made for.
    for (genvar p = 0; p < Links; p++) begin : g_link
      localparam int Peer = (1 - c) * Links + p;
      if (Cards == 2 && p == InternalPort) begin : g_internal
        logic [xt_pkg::LinkLatency-1:0] valid_q;
        logic [xt_pkg::LinkLatency*FrameBits-1:0] frame_q;
        always_ff @(posedge clk_i) begin
          if (!card_rst_n[c]) valid_q <= '0;
          else valid_q <= xt_pkg::LinkLatency'({valid_q, out_valid[Peer]});
          frame_q <= (xt_pkg::LinkLatency * FrameBits)'({frame_q, out_frame[FrameBits*Peer+:FrameBits]});
        end
        assign in_valid[Links*c+p] = valid_q[xt_pkg::LinkLatency-1];
        assign in_frame[FrameBits*(Links*c+p)+:FrameBits] = frame_q[(xt_pkg::LinkLatency-1)*FrameBits+:FrameBits];
        // verilator lint_off UNUSEDSIGNAL
        wire unused = ^{link_valid_i[Links*c+p], link_frame_i[FrameBits*(Links*c+p)+:FrameBits]};
        // verilator lint_on UNUSEDSIGNAL
      end else begin : g_external
        assign in_valid[Links*c+p] = link_valid_i[Links*c+p];
        assign in_frame[FrameBits*(Links*c+p)+:FrameBits] = link_frame_i[FrameBits*(Links*c+p)+:FrameBits];
      end
    end
  end

endmodule

`default_nettype wire
