// SPDX-License-Identifier: Apache-2.0
//
// The common part of all boards' tops: a node, a second front end beside the UART, and links at the pins of the FPGA. A
// board's own top adds its clocks, pin names and supplies.
//
// With one card link n is port n. A twin node's links are the ports in order, card 0 first, without those of the internal
// link: with four ports a card, links 0 and 1 are those of dimension 0, links 2 and 3 those of dimension 1, links 4 and 5
// those of dimension 2. So two links make a ring of boards, four a torus. Ports without pins stay down, and pins without a
// port stay idle. Only the link layer corrects errors of wires. In a profile without link layer all these pins stay idle.
//
// Latency and speed: those of the parts; this module adds no register.
`default_nettype none

module xt_board_top #(
  /// Serial number of the board.
  parameter int Serial = 1,
  /// Clock of the cards in kHz.
  parameter int ClockKhz = 40000,
  /// Cycles of a bit of the UART.
  parameter int BitCycles = ClockKhz / 1000,
  /// Second front end. 0: none; 1: USB at full speed; 2: USB at high speed by a ULPI PHY; 3: synchronous FIFO of an FTDI chip.
  parameter int Front = 0,
  /// 1, or 2: a twin node.
  parameter int Cards = 2,
  /// Words of each queue to a NIC port.
  parameter int InjectWords = 512,
  /// Words of each queue from a NIC port.
  parameter int ReceiveWords = 1024,
  /// 1: traffic generators.
  parameter int Traffic = 1,
  /// Links at pins, 0 to 8.
  parameter int Links = 0,
  /// Data lanes of a link, each way.
  parameter int Wires = 4,
  /// Cells at the pins of links. 0: those of an ECP5; 1: those of a Xilinx 7-series device.
  parameter int Xilinx7 = 0,
  /// Links with ports: one that is not used stands for none.
  localparam int LinkPins = (Links == 0) ? 1 : Links
) (
  /// Clock of the cards.
  input  logic                      clk_i,
  /// The same clock, a quarter of a period later; for links.
  input  logic                      clk90_i,
  /// The clock runs and no button resets the board; asynchronous.
  input  logic                      run_i,
  /// Reset of the node, active low, synchronous.
  output logic                      rst_no,

  /// UART from the host.
  input  logic                      uart_rx_i,
  /// UART to the host.
  output logic                      uart_tx_o,

  // Pins of the second front end.
  // verilator lint_off UNUSEDSIGNAL
  /// Clock: 48 MHz of USB at full speed, or the clock of the PHY or FTDI chip.
  input  logic                      front_clk_i,
  /// Clock of 12 MHz, in phase with 48 MHz: of USB at full speed.
  input  logic                      front_slow_clk_i,
  /// ULPI: NXT, DIR. FIFO: TXE#, RXF#.
  input  logic [               1:0] front_control_i,
  /// USB at full speed: pull-up, at bit 0. ULPI: STP, at bit 0. FIFO: SIWU#, OE#, WR#, RD#.
  output logic [               3:0] front_control_o,
  /// Data in. USB at full speed: D+, D-, at bits 1 and 0.
  input  logic [               7:0] front_data_i,
  // verilator lint_on UNUSEDSIGNAL
  /// Data out, like data in.
  output logic [               7:0] front_data_o,
  /// Drive the data pins.
  output logic                      front_data_oe_o,

  /// Links: clock to the other end.
  output logic [      LinkPins-1:0] link_clk_o,
  /// Links: lanes to the other end.
  output logic [Wires*LinkPins-1:0] link_data_o,
  /// Links: clock from the other end.
  input  logic [      LinkPins-1:0] link_clk_i,
  /// Links: lanes from the other end.
  input  logic [Wires*LinkPins-1:0] link_data_i,
  /// Links: both ends receive.
  output logic [      LinkPins-1:0] link_up_o,
  /// PLL of the links' clock: steps of a period, 0: the phase is fixed.
  input  logic [               7:0] phase_steps_i,
  /// PLL of the links' clock: the clock is stable; asynchronous.
  input  logic                      phase_locked_i,
  /// PLL of the links' clock: a step at the pulse's end.
  output logic                      phase_step_o,
  /// PLL of the links' clock: the step makes the clock earlier.
  output logic                      phase_back_o,

  /// Lights of xt_node.
  output logic [               3:0] lights_o
);

  localparam int Ports = Cards * xt_pkg::LinkPorts;
  localparam int Lanes = 2 * Wires;
  localparam int InternalPort = (xt_pkg::LinkPorts > 3) ? 3 : xt_pkg::LinkPorts - 1;

  localparam int External = Cards * xt_pkg::LinkPorts - ((Cards == 2) ? 2 : 0);  // ports but those of the internal link
  // Links 0 to Used - 1 have ports.
  localparam int Used = (xt_pkg::HasLinkLayer == 0) ? 0 : (Links < External) ? Links : External;

  // A zero between the bits of a mask.
  function automatic int with_gap(input int mask, input int at);
    with_gap = ((mask >> at) << (at + 1)) | (mask & ((1 << at) - 1));
  endfunction

  localparam int AllUsed = (1 << Used) - 1;
  localparam logic [Ports-1:0] AtPins = Ports'((Cards != 2) ? AllUsed
      : with_gap(with_gap(AllUsed, InternalPort), xt_pkg::LinkPorts + InternalPort));

  if (Front < 0 || Front > 3 || Links < 0 || Links > 8) begin : g_illegal
    xt_board_top_has_four_kinds_of_front_ends_and_eight_links_at_most i_illegal ();
  end
  if (Xilinx7 != 0 && Xilinx7 != 1) begin : g_illegal_pins
    xt_board_top_has_pins_of_xilinx7_0_or_1 i_illegal ();
  end

  // ---------------------------------------------------------------- node
  logic restart, rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic [Ports*Lanes-1:0] to_pins, from_pins;
  logic [Ports-1:0] from_clk, up;
  logic [7:0] phase, phase_at;
  logic [15:0] phase_told;

  xt_node #(
    .Cards       (Cards),
    .ClockKhz    (ClockKhz),
    .BitCycles   (BitCycles),
    .Serial      (Serial),
    .InjectWords (InjectWords),
    .ReceiveWords(ReceiveWords),
    .Second      ((Front == 0) ? 0 : 1),
    .Traffic     (Traffic),
    .Pins        (AtPins),
    .Lanes       (Lanes)
  ) i_node (
    .clk_i,
    .run_i,
    .uart_rx_i,
    .uart_tx_o,
    .rst_no,
    .restart_i  (restart),
    .rx_valid_i (rx_valid),
    .rx_ready_o (rx_ready),
    .rx_byte_i  (rx_byte),
    .tx_valid_o (tx_valid),
    .tx_ready_i (tx_ready),
    .tx_byte_o  (tx_byte),
    .link_data_o(to_pins),
    .link_clk_i (from_clk),
    .link_data_i(from_pins),
    .link_up_o  (up),
    .phase_o    (phase),
    .phase_i    (phase_told),
    .lights_o
  );

  assign phase_told = (phase_steps_i == '0) ? '0 : {phase_steps_i, phase_at};

  xt_phase_stepper i_phase (
    .clk_i,
    .locked_i(phase_locked_i),
    .target_i(phase),
    .at_o    (phase_at),
    .step_o  (phase_step_o),
    .back_o  (phase_back_o)
  );

  // ---------------------------------------------------------------- second front end
  if (Front == 1) begin : g_usb_full
    xt_usb_full i_usb (
      .serial_i  (64'(Serial)),
      .clk12_i   (front_slow_clk_i),
      .clk48_i   (front_clk_i),
      .lines_i   (front_data_i[1:0]),
      .lines_o   (front_data_o[1:0]),
      .lines_oe_o(front_data_oe_o),
      .pull_up_o (front_control_o[0]),
      .clk_i,
      .rst_ni    (rst_no),
      .restart_o (restart),
      .rx_valid_o(rx_valid),
      .rx_ready_i(rx_ready),
      .rx_byte_o (rx_byte),
      .tx_valid_i(tx_valid),
      .tx_ready_o(tx_ready),
      .tx_byte_i (tx_byte)
    );
    assign front_control_o[3:1] = '0;
    assign front_data_o[7:2]    = '0;
  end else if (Front == 2) begin : g_usb_high
    xt_usb_high i_usb (
      .serial_i      (64'(Serial)),
      .ulpi_clk_i    (front_clk_i),
      .ulpi_dir_i    (front_control_i[0]),
      .ulpi_nxt_i    (front_control_i[1]),
      .ulpi_stp_o    (front_control_o[0]),
      .ulpi_data_i   (front_data_i),
      .ulpi_data_o   (front_data_o),
      .ulpi_data_oe_o(front_data_oe_o),
      .clk_i,
      .rst_ni        (rst_no),
      .restart_o     (restart),
      .rx_valid_o    (rx_valid),
      .rx_ready_i    (rx_ready),
      .rx_byte_o     (rx_byte),
      .tx_valid_i    (tx_valid),
      .tx_ready_o    (tx_ready),
      .tx_byte_i     (tx_byte)
    );
    assign front_control_o[3:1] = '0;
  end else if (Front == 3) begin : g_fifo
    xt_fifo_front i_fifo (
      .fifo_clk_i(front_clk_i),
      .rxf_ni    (front_control_i[0]),
      .txe_ni    (front_control_i[1]),
      .rd_no     (front_control_o[0]),
      .wr_no     (front_control_o[1]),
      .oe_no     (front_control_o[2]),
      .siwu_no   (front_control_o[3]),
      .data_i    (front_data_i),
      .data_o    (front_data_o),
      .data_oe_o (front_data_oe_o),
      .clk_i,
      .rst_ni    (rst_no),
      .rx_valid_o(rx_valid),
      .rx_ready_i(rx_ready),
      .rx_byte_o (rx_byte),
      .tx_valid_i(tx_valid),
      .tx_ready_o(tx_ready),
      .tx_byte_i (tx_byte)
    );
    assign restart = 1'b0;
  end else begin : g_no_front
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{rx_ready, tx_valid, tx_byte};
    // verilator lint_on UNUSEDSIGNAL
    assign restart         = 1'b0;
    assign rx_valid        = 1'b0;
    assign rx_byte         = '0;
    assign tx_ready        = 1'b0;
    assign front_control_o = '0;
    assign front_data_o    = '0;
    assign front_data_oe_o = 1'b0;
  end

  // ---------------------------------------------------------------- links
  for (genvar p = 0; p < Ports; p++) begin : g_port
    localparam int L = (Cards != 2) ? p : p - 32'(p > InternalPort) - 32'(p > xt_pkg::LinkPorts + InternalPort);  // its link
    if (AtPins[p]) begin : g_pins
      xt_phy_pins #(
        .Lanes  (Wires),
        .Xilinx7(Xilinx7)
      ) i_pins (
        .clk_i,
        .clk90_i,
        .data_i    (to_pins[Lanes*p+:Lanes]),
        .clk_o     (from_clk[p]),
        .data_o    (from_pins[Lanes*p+:Lanes]),
        .pin_clk_o (link_clk_o[L]),
        .pin_data_o(link_data_o[Wires*L+:Wires]),
        .pin_clk_i (link_clk_i[L]),
        .pin_data_i(link_data_i[Wires*L+:Wires])
      );
      assign link_up_o[L] = up[p];
    end else begin : g_open
      assign from_clk[p]               = 1'b0;
      assign from_pins[Lanes*p+:Lanes] = '0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ^{to_pins[Lanes*p+:Lanes], up[p]};
      // verilator lint_on UNUSEDSIGNAL
    end
  end

  // Pins of links without a port. A board without links has pins of one, which lead nowhere.
  for (genvar l = Used; l < LinkPins; l++) begin : g_no_port
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{clk90_i, link_clk_i[l], link_data_i[Wires*l+:Wires]};
    // verilator lint_on UNUSEDSIGNAL
    assign link_clk_o[l]               = 1'b0;
    assign link_data_o[Wires*l+:Wires] = '0;
    assign link_up_o[l]                = 1'b0;
  end

endmodule

`default_nettype wire
