// SPDX-License-Identifier: Apache-2.0
//
// What is the same on every board with a UART: reset, UART, bridge and cards. A board's own top has what is not: its
// clock and the names of its pins.
`default_nettype none

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
  parameter int ReceiveWords = 1024
) (
  /// Clock.
  input  logic       clk_i,
  /// The clock runs and no button resets the board; asynchronous.
  input  logic       run_i,

  /// UART from the host.
  input  logic       uart_rx_i,
  /// UART to the host.
  output logic       uart_tx_o,

  /// 0: out of reset; 1: nothing moves; 2, 3: bytes from and to the host.
  output logic [3:0] lights_o
);

  localparam int Ports = Cards * xt_pkg::LinkPorts;

  logic rst_n, idle;
  logic rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic [Ports-1:0] unused_valid;
  logic [Ports*xt_pkg::FrameBits-1:0] unused_frame;

  xt_board_reset i_reset (
    .clk_i,
    .run_i,
    .rst_no(rst_n)
  );

  xt_uart #(
    .BitCycles(BitCycles)
  ) i_uart (
    .clk_i,
    .rst_ni    (rst_n),
    .rx_i      (uart_rx_i),
    .tx_o      (uart_tx_o),
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
    .ReceiveWords(ReceiveWords)
  ) i_board (
    .clk_i,
    .rst_ni      (rst_n),
    .serial_i    (64'(Serial)),
    .restart_i   (1'b0),
    .rx_valid_i  (rx_valid),
    .rx_ready_o  (rx_ready),
    .rx_byte_i   (rx_byte),
    .tx_valid_o  (tx_valid),
    .tx_ready_i  (tx_ready),
    .tx_byte_o   (tx_byte),
    .link_valid_i('0),
    .link_frame_i('0),
    .link_valid_o(unused_valid),
    .link_frame_o(unused_frame),
    .idle_o      (idle)
  );

  assign lights_o = {~uart_tx_o, ~uart_rx_i, idle, rst_n};

endmodule

`default_nettype wire
