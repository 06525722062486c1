// SPDX-License-Identifier: Apache-2.0
//
// ULX3S: a twin node, or one large card, behind the UART of the FTDI chip (socket US1) and USB at full speed (US2). The links 0
// to 5 are at the headers, with three lanes and a clock each way.
`default_nettype none

module xt_ulx3s #(
  /// Serial number of the board.
  parameter int Serial = 1,
  /// 1, or 2: a twin node.
  parameter int Cards = 2,
  /// Clock of the cards in kHz: 120 MHz divided, and a multiple of 5 MHz.
  parameter int ClockKhz = 40000
) (
  /// Oscillator, 25 MHz.
  input  logic        clk_25mhz,
  /// Button PWR: 0 resets.
  input  logic        btn_pwr_n,
  /// UART from the host.
  input  logic        ftdi_txd,
  /// UART to the host.
  output logic        ftdi_rxd,
  /// US2: D+.
  inout  wire logic   usb_dp,
  /// US2: D-.
  inout  wire logic   usb_dn,
  /// US2: 1 pulls D+ up.
  output logic        usb_pull_dp,

  /// Links: clock to the other end.
  output logic [ 5:0] link_clk_o,
  /// Links: three lanes each to the other end.
  output logic [17:0] link_data_o,
  /// Links: clock from the other end.
  input  logic [ 5:0] link_clk_i,
  /// Links: three lanes each from the other end.
  input  logic [17:0] link_data_i,

  /// 0 and 1: these lights of xt_node; 2 to 7: links 0 to 5 receive at both ends.
  output logic [ 7:0] led
);

  logic clk, clk90, clk48, clk12, locked, lines_oe, unused_rst_n, phase_step, phase_back;
  logic [7:0] phase_steps;
  logic [2:0] unused_control;
  logic [1:0] lights, unused_lights;
  logic [5:0] up, unused_data;
  logic [1:0] lines;  // D+, D-

  if (120000 % ClockKhz != 0 || ClockKhz % 5000 != 0) begin : g_illegal
    xt_ulx3s_has_a_clock_of_120_mhz_divided_and_a_multiple_of_5_mhz i_illegal ();
  end

  // 25 MHz / 5, times FeedbackDiv; 480 MHz / 10 and / 40.
  xt_pll_ecp5 #(
    .InKhz      (25000),
    .InDiv      (5),
    .FeedbackDiv(ClockKhz / 5000),
    .OutDiv     (480000 / ClockKhz),
    .SecondDiv  (10),
    .ThirdDiv   (40)
  ) i_pll (
    .clk_i        (clk_25mhz),
    .clk_o        (clk),
    .clk90_o      (clk90),
    .second_o     (clk48),
    .third_o      (clk12),
    .phase_steps_o(phase_steps),
    .phase_step_i (phase_step),
    .phase_back_i (phase_back),
    .locked_o     (locked)
  );

  xt_board_top #(
    .Serial  (Serial),
    .ClockKhz(ClockKhz),
    .Cards   (Cards),
    .Front   (1),
    .Links   (6),
    .Wires   (3)
  ) i_board (
    .clk_i           (clk),
    .clk90_i         (clk90),
    .run_i           (locked & btn_pwr_n),
    .rst_no          (unused_rst_n),
    .uart_rx_i       (ftdi_txd),
    .uart_tx_o       (ftdi_rxd),
    .front_clk_i     (clk48),
    .front_slow_clk_i(clk12),
    .front_control_i (2'b00),
    .front_control_o ({unused_control, usb_pull_dp}),
    .front_data_i    ({6'b0, usb_dp, usb_dn}),
    .front_data_o    ({unused_data, lines}),
    .front_data_oe_o (lines_oe),
    .link_clk_o      (link_clk_o),
    .link_data_o     (link_data_o),
    .link_clk_i      (link_clk_i),
    .link_data_i     (link_data_i),
    .link_up_o       (up),
    .phase_steps_i   (phase_steps),
    .phase_locked_i  (locked),
    .phase_step_o    (phase_step),
    .phase_back_o    (phase_back),
    .lights_o        ({unused_lights, lights})
  );

  assign usb_dp = lines_oe ? lines[1] : 1'bz;
  assign usb_dn = lines_oe ? lines[0] : 1'bz;
  assign led    = {up, lights};

endmodule

`default_nettype wire
