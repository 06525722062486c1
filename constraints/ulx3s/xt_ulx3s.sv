// SPDX-License-Identifier: Apache-2.0
//
// ULX3S: a twin node behind the UART of the FTDI chip.
`default_nettype none

module xt_ulx3s #(
  /// Serial number of the board.
  parameter int Serial = 1
) (
  /// Oscillator, 25 MHz.
  input  logic       clk_25mhz,
  /// Button PWR: 0 resets.
  input  logic       btn_pwr_n,
  /// UART from the host.
  input  logic       ftdi_txd,
  /// UART to the host.
  output logic       ftdi_rxd,
  /// As xt_node has them.
  output logic [3:0] led
);

  logic clk, locked;

  // 25 MHz * 2.
  xt_pll #(
    .InKhz      (25000),
    .FeedbackDiv(2),
    .OutDiv     (12)
  ) i_pll (
    .clk_i   (clk_25mhz),
    .clk_o   (clk),
    .locked_o(locked)
  );

  xt_node #(
    .Cards   (2),
    .ClockKhz(50000),
    .Serial  (Serial)
  ) i_node (
    .clk_i    (clk),
    .run_i    (locked & btn_pwr_n),
    .uart_rx_i(ftdi_txd),
    .uart_tx_o(ftdi_rxd),
    .lights_o (led)
  );

endmodule

`default_nettype wire
