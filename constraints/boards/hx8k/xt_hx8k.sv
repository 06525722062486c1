// SPDX-License-Identifier: Apache-2.0
//
// iCE40-HX8K breakout board: one card behind the UART of the FTDI chip. It has no links at pins.
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
  /// 0 to 3: lights of xt_node.
  output logic [3:0] led
);

  logic [1:0] unused_phase;
  logic clk, locked, unused_rst_n, unused_oe, unused_link_clk, unused_up;
  logic [3:0] unused_control, unused_link_data;
  logic [7:0] unused_data;

  // 12 MHz * 64 / 16.
  xt_pll_ice40 #(
    .InKhz      (12000),
    .FeedbackDiv(64),
    .OutShift   (4)
  ) i_pll (
    .clk_i   (clk_12mhz),
    .clk_o   (clk),
    .locked_o(locked)
  );

  xt_board_top #(
    .Serial      (Serial),
    .ClockKhz    (48000),
    .Cards       (1),
    .InjectWords (128),
    .ReceiveWords(256),
    .Traffic     (0)
  ) i_board (
    .clk_i           (clk),
    .clk90_i         (1'b0),
    .run_i           (locked),
    .rst_no          (unused_rst_n),
    .uart_rx_i       (uart_rx),
    .uart_tx_o       (uart_tx),
    .front_clk_i     (1'b0),
    .front_slow_clk_i(1'b0),
    .front_control_i (2'b00),
    .front_control_o (unused_control),
    .front_data_i    (8'h00),
    .front_data_o    (unused_data),
    .front_data_oe_o (unused_oe),
    .link_clk_o      (unused_link_clk),
    .link_data_o     (unused_link_data),
    .link_clk_i      (1'b0),
    .link_data_i     (4'h0),
    .link_up_o       (unused_up),
    .phase_steps_i   (8'd0),
    .phase_locked_i  (locked),
    .phase_step_o    (unused_phase[0]),
    .phase_back_o    (unused_phase[1]),
    .lights_o        (led)
  );

endmodule

`default_nettype wire
