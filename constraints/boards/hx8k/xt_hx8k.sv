// SPDX-License-Identifier: Apache-2.0
//
// iCE40-HX8K breakout board: one card behind the UART of the FTDI chip.
`default_nettype none

module xt_hx8k #(
  /// Serial number of the board.
  parameter int Serial = 1
) (
  /// Oscillator, 12 MHz.
  input  logic       clk_12mhz,
  /// UART from the host.
  input  logic       uart_rx,
  /// UART to the host.
  output logic       uart_tx,
  /// As xt_node has them.
  output logic [3:0] led
);

  localparam int Ports = xt_pkg::LinkPorts;
  localparam int Lanes = 8;

  logic clk, locked;
  logic [Ports*Lanes-1:0] unused_data;
  logic [Ports-1:0] unused_up;
  logic unused_rst_n, unused_rx_ready, unused_tx_valid;
  logic [7:0] unused_tx_byte;

  // 12 MHz * 64 / 16.
  xt_pll #(
    .InKhz      (12000),
    .FeedbackDiv(64),
    .OutShift   (4)
  ) i_pll (
    .clk_i   (clk_12mhz),
    .clk_o   (clk),
    .locked_o(locked)
  );

  xt_node #(
    .Cards       (1),
    .ClockKhz    (48000),
    .Serial      (Serial),
    .InjectWords (128),
    .ReceiveWords(256),
    .Traffic     (0),
    .Lanes       (Lanes)
  ) i_node (
    .clk_i      (clk),
    .run_i      (locked),
    .uart_rx_i  (uart_rx),
    .uart_tx_o  (uart_tx),
    .rst_no     (unused_rst_n),
    .restart_i  (1'b0),
    .rx_valid_i (1'b0),
    .rx_ready_o (unused_rx_ready),
    .rx_byte_i  ('0),
    .tx_valid_o (unused_tx_valid),
    .tx_ready_i (1'b0),
    .tx_byte_o  (unused_tx_byte),
    .link_data_o(unused_data),
    .link_clk_i ('0),
    .link_data_i('0),
    .link_up_o  (unused_up),
    .lights_o   (led)
  );

endmodule

`default_nettype wire
