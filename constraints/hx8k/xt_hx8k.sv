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

  logic clk, locked;

  // 12 MHz * 64 / 32.
  xt_pll #(
    .InKhz      (12000),
    .FeedbackDiv(64),
    .OutShift   (5)
  ) i_pll (
    .clk_i   (clk_12mhz),
    .clk_o   (clk),
    .locked_o(locked)
  );

  xt_node #(
    .Cards       (1),
    .ClockKhz    (24000),
    .Serial      (Serial),
    .InjectWords (128),
    .ReceiveWords(256)
  ) i_node (
    .clk_i    (clk),
    .run_i    (locked),
    .uart_rx_i(uart_rx),
    .uart_tx_o(uart_tx),
    .lights_o (led)
  );

endmodule

`default_nettype wire
