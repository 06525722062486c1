// SPDX-License-Identifier: Apache-2.0
//
// ButterStick: a twin node behind USB at high speed, by a ULPI PHY. Links 0 and 1 are at SYZYGY0 and SYZYGY1, in differential
// pairs. There is no UART.
`default_nettype none

module xt_butterstick #(
  /// Serial number of the board.
  parameter int Serial = 1
) (
  /// Oscillator, 30 MHz.
  input  logic       clk_30mhz,
  /// Supplies of the connectors: the voltages, in pulses.
  output logic [2:0] supply_level,
  /// Supplies of the connectors: 1 switches them on.
  output logic       supply_on,

  /// USB3343: clock, 60 MHz.
  input  logic       ulpi_clk,
  /// USB3343: it drives the data.
  input  logic       ulpi_dir,
  /// USB3343: it takes or gives a byte.
  input  logic       ulpi_nxt,
  /// USB3343: end of a packet or command to it.
  output logic       ulpi_stp,
  /// USB3343: 0 resets it.
  output logic       ulpi_rst_n,
  /// USB3343: data.
  inout  wire logic [7:0] ulpi_data,

  /// Links: clock to the other end.
  output logic [1:0] link_clk_o,
  /// Links: four lanes each to the other end.
  output logic [7:0] link_data_o,
  /// Links: clock from the other end.
  input  logic [1:0] link_clk_i,
  /// Links: four lanes each from the other end.
  input  logic [7:0] link_data_i,

  /// 0 to 3: lights of xt_node; 4, 5: links 0 and 1 receive at both ends; 6: the supplies are on.
  output logic [6:0] led,
  /// Colour of the LEDs.
  output logic [2:0] led_colour
);

  logic clk, clk90, locked, ready, rst_n, data_oe, unused_uart_tx, phase_step, phase_back;
  logic [7:0] phase_steps;
  logic [1:0] unused_clk, up;
  logic [2:0] unused_control;
  logic [3:0] lights;
  logic [7:0] data;

  // 30 MHz / 3 * 4.
  xt_pll_ecp5 #(
    .InKhz      (30000),
    .InDiv      (3),
    .FeedbackDiv(4),
    .OutDiv     (12)
  ) i_pll (
    .clk_i        (clk_30mhz),
    .clk_o        (clk),
    .clk90_o      (clk90),
    .second_o     (unused_clk[0]),
    .third_o      (unused_clk[1]),
    .phase_steps_o(phase_steps),
    .phase_step_i (phase_step),
    .phase_back_i (phase_back),
    .locked_o     (locked)
  );

  xt_butterstick_supply i_supply (
    .clk_i  (clk),
    .run_i  (locked),
    .level_o(supply_level),
    .on_o   (supply_on),
    .ready_o(ready)
  );

  xt_board_top #(
    .Serial  (Serial),
    .ClockKhz(40000),
    .Front   (2),
    .Links   (2)
  ) i_board (
    .clk_i           (clk),
    .clk90_i         (clk90),
    .run_i           (ready),
    .rst_no          (rst_n),
    .uart_rx_i       (1'b1),
    .uart_tx_o       (unused_uart_tx),
    .front_clk_i     (ulpi_clk),
    .front_slow_clk_i(1'b0),
    .front_control_i ({ulpi_nxt, ulpi_dir}),
    .front_control_o ({unused_control, ulpi_stp}),
    .front_data_i    (ulpi_data),
    .front_data_o    (data),
    .front_data_oe_o (data_oe),
    .link_clk_o      (link_clk_o),
    .link_data_o     (link_data_o),
    .link_clk_i      (link_clk_i),
    .link_data_i     (link_data_i),
    .link_up_o       (up),
    .phase_steps_i   (phase_steps),
    .phase_locked_i  (locked),
    .phase_step_o    (phase_step),
    .phase_back_o    (phase_back),
    .lights_o        (lights)
  );

  assign ulpi_rst_n = rst_n;
  assign ulpi_data  = data_oe ? data : 8'hzz;
  assign led        = {supply_on, up, lights};
  assign led_colour = 3'b010;

endmodule

`default_nettype wire
