// SPDX-License-Identifier: Apache-2.0
//
// The common part of all boards: reset, UART, bridge, cards, and the physical layer of the links at pins. A board's
// own top adds its clocks, its pins, and an optional front end beside the UART.
//
// Latency and speed: those of the parts; this module adds no register.
`default_nettype none

// A simulation may define a stand-in's name (sim/standins).
`ifndef XT_UART
`define XT_UART xt_uart
`endif

module xt_node #(
  /// 1, or 2: a twin node.
  parameter int Cards = 2,
  /// Clock of the cards in kHz.
  parameter int ClockKhz = 50000,
  /// Cycles of a bit of the UART.
  parameter int BitCycles = ClockKhz / 1000,
  /// Serial number of the board.
  parameter int Serial = 1,
  /// Words of each queue to a NIC port.
  parameter int InjectWords = 512,
  /// Words of each queue from a NIC port.
  parameter int ReceiveWords = 1024,
  /// 1: another front end beside the UART; the last one to begin a session has the bridge.
  parameter int Second = 0,
  /// 1: traffic generators.
  parameter int Traffic = 1,
  /// Columns of their tables of destinations, a power of two up to 512; 0: they have none.
  parameter int TrafficTable = 512,
  /// Bit per link: the link has pins. Port p of card c is bit c * LinkPorts + p.
  parameter logic [Cards*xt_pkg::LinkPorts-1:0] Pins = '0,
  /// Lanes of a link with pins.
  parameter int Lanes = 8
) (
  /// Clock.
  input  logic       clk_i,
  /// The clock runs and no button resets the board; asynchronous.
  input  logic       run_i,

  /// UART from the host.
  input  logic       uart_rx_i,
  /// UART to the host.
  output logic       uart_tx_o,

  /// Reset of the node, active low, synchronous; for the second front end.
  output logic       rst_no,
  /// Second front end: the host begins a session.
  input  logic       restart_i,
  /// Second front end: a byte from the host.
  input  logic       rx_valid_i,
  /// Second front end: the byte is taken.
  output logic       rx_ready_o,
  /// Second front end: the byte.
  input  logic [7:0] rx_byte_i,
  /// Second front end: a byte to the host.
  output logic       tx_valid_o,
  /// Second front end: the byte is taken.
  input  logic       tx_ready_i,
  /// Second front end: the byte.
  output logic [7:0] tx_byte_o,

  /// Links, numbered as in Pins: to the pins.
  output logic [Cards*xt_pkg::LinkPorts*Lanes-1:0] link_data_o,
  /// Links: clock from the pins.
  input  logic [      Cards*xt_pkg::LinkPorts-1:0] link_clk_i,
  /// Links: of that clock, from the pins.
  input  logic [Cards*xt_pkg::LinkPorts*Lanes-1:0] link_data_i,
  /// Links: both ends receive.
  output logic [      Cards*xt_pkg::LinkPorts-1:0] link_up_o,
  /// Where the phase of the links' clock is to be, as xt_board.
  output logic [ 7:0] phase_o,
  /// Where the phase is, as xt_board.
  input  logic [15:0] phase_i,

  /// 0: out of reset; 1: nothing moves; 2, 3: bytes from and to the host.
  output logic [3:0] lights_o
);

  localparam int Ports = Cards * xt_pkg::LinkPorts;

  localparam int FrameBits = xt_pkg::FrameBits;
  localparam int FrameCycles = (FrameBits + Lanes - 1) / Lanes + 2;

  localparam int Fronts = 1 + Second;

  logic idle, restart;
  logic rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic uart_rx_valid, uart_rx_ready, uart_tx_valid, uart_tx_ready;
  logic [7:0] uart_rx_byte;
  logic [Ports-1:0] in_valid, out_valid, test, loop, locked, idle_word;
  logic [Ports*FrameBits-1:0] in_frame, out_frame;
  logic [8*Ports-1:0] wrong;

`ifdef XT_SIMULATION
  int serial;
  initial if ($value$plusargs("serial=%d", serial) == 0) serial = Serial;
`else
  localparam int serial = Serial;
`endif

  xt_board_reset i_reset (
    .clk_i,
    .run_i,
    .rst_no
  );

  `XT_UART #(
    .BitCycles(BitCycles)
  ) i_uart (
    .clk_i,
    .rst_ni    (rst_no),
    .rx_i      (uart_rx_i),
    .tx_o      (uart_tx_o),
    .rx_valid_o(uart_rx_valid),
    .rx_ready_i(uart_rx_ready),
    .rx_byte_o (uart_rx_byte),
    .tx_valid_i(uart_tx_valid),
    .tx_ready_o(uart_tx_ready),
    .tx_byte_i (tx_byte_o)
  );

  // Number 0 is the UART.
  logic [1:0] front_rx_ready, front_tx_valid;

  assign uart_rx_ready = front_rx_ready[0];
  assign rx_ready_o    = front_rx_ready[1];
  assign uart_tx_valid = front_tx_valid[0];
  assign tx_valid_o    = front_tx_valid[1];
  if (Second == 0) begin : g_no_second
    assign front_rx_ready[1] = 1'b1;
    assign front_tx_valid[1] = 1'b0;
  end

  xt_front_ends #(
    .Fronts(Fronts)
  ) i_front_ends (
    .clk_i,
    .rst_ni    (rst_no),
    .restart_i (Fronts'({restart_i, 1'b0})),
    .rx_valid_i(Fronts'({rx_valid_i, uart_rx_valid})),
    .rx_ready_o(front_rx_ready[Fronts-1:0]),
    .rx_byte_i ((8 * Fronts)'({rx_byte_i, uart_rx_byte})),
    .tx_valid_o(front_tx_valid[Fronts-1:0]),
    .tx_ready_i(Fronts'({tx_ready_i, uart_tx_ready})),
    .tx_byte_o,
    .restart_o (restart),
    .rx_valid_o(rx_valid),
    .rx_ready_i(rx_ready),
    .rx_byte_o (rx_byte),
    .tx_valid_i(tx_valid),
    .tx_ready_o(tx_ready),
    .tx_byte_i (tx_byte)
  );

  xt_board #(
    .Cards       (Cards),
    .ClockKhz    (ClockKhz),
    .InjectWords (InjectWords),
    .ReceiveWords(ReceiveWords),
    .Traffic     (Traffic),
    .TrafficTable(TrafficTable),
    .Pins        (Pins),
    .FrameCycles (FrameCycles)
  ) i_board (
    .clk_i,
    .rst_ni      (rst_no),
    .serial_i    (64'(serial)),
    .restart_i   (restart),
    .rx_valid_i  (rx_valid),
    .rx_ready_o  (rx_ready),
    .rx_byte_i   (rx_byte),
    .tx_valid_o  (tx_valid),
    .tx_ready_i  (tx_ready),
    .tx_byte_o   (tx_byte),
    .link_valid_i(in_valid),
    .link_frame_i(in_frame),
    .link_valid_o(out_valid),
    .link_frame_o(out_frame),
    .test_o      (test),
    .loop_o      (loop),
    .locked_i    (locked),
    .up_i        (link_up_o),
    .idle_word_i (idle_word),
    .wrong_i     (wrong),
    .phase_o,
    .phase_i,
    .idle_o      (idle)
  );

  for (genvar p = 0; p < Ports; p++) begin : g_link
    if (Pins[p]) begin : g_phy
      xt_phy #(
        .Lanes    (Lanes),
        .FrameBits(FrameBits)
      ) i_phy (
        .clk_i,
        .rst_ni    (rst_no),
        .tx_valid_i(out_valid[p]),
        .tx_frame_i(out_frame[FrameBits*p+:FrameBits]),
        .rx_valid_o(in_valid[p]),
        .rx_frame_o(in_frame[FrameBits*p+:FrameBits]),
        .test_i    (test[p]),
        .loop_i    (loop[p]),
        .locked_o  (locked[p]),
        .up_o      (link_up_o[p]),
        .idle_o    (idle_word[p]),
        .wrong_o   (wrong[8*p+:8]),
        .tx_data_o (link_data_o[Lanes*p+:Lanes]),
        .rx_clk_i  (link_clk_i[p]),
        .rx_data_i (link_data_i[Lanes*p+:Lanes])
      );
    end else begin : g_open
      assign in_valid[p]                      = 1'b0;
      assign in_frame[FrameBits*p+:FrameBits] = '0;
      assign locked[p]                        = 1'b0;
      assign link_up_o[p]                     = 1'b0;
      assign idle_word[p]                     = 1'b0;
      assign wrong[8*p+:8]                    = '0;
      assign link_data_o[Lanes*p+:Lanes]      = '0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ^{out_valid[p], out_frame[FrameBits*p+:FrameBits], test[p], loop[p], link_clk_i[p],
                      link_data_i[Lanes*p+:Lanes]};
      // verilator lint_on UNUSEDSIGNAL
    end
  end

  assign lights_o = {~uart_tx_o | tx_valid_o, ~uart_rx_i | (Second[0] & rx_valid_i), idle, rst_no};

endmodule

`default_nettype wire
