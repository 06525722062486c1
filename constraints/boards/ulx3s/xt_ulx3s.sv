// SPDX-License-Identifier: Apache-2.0
//
// ULX3S: a twin node behind the UART of the FTDI chip (socket US1) and USB at full speed (US2). Links 0 to 3 are at the headers.
`default_nettype none

module xt_ulx3s #(
  /// Serial number of the board.
  parameter int Serial = 1
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
  output logic [ 3:0] link_clk_o,
  /// Links: four lanes each to the other end.
  output logic [15:0] link_data_o,
  /// Links: clock from the other end.
  input  logic [ 3:0] link_clk_i,
  /// Links: four lanes each from the other end.
  input  logic [15:0] link_data_i,

  /// 0 to 3: lights of xt_node; 4 to 7: links 0 to 3 receive at both ends.
  output logic [ 7:0] led
);

  logic clk, clk90, clk48, clk12, locked, lines_oe, unused_rst_n;
  logic [2:0] unused_control;
  logic [3:0] lights, up;
  logic [5:0] unused_data;
  logic [1:0] lines;  // D+, D-

  // 25 MHz / 5 * 8; 480 MHz / 10 and / 40.
  xt_pll_ecp5 #(
    .InKhz      (25000),
    .InDiv      (5),
    .FeedbackDiv(8),
    .OutDiv     (12),
    .SecondDiv  (10),
    .ThirdDiv   (40)
  ) i_pll (
    .clk_i   (clk_25mhz),
    .clk_o   (clk),
    .clk90_o (clk90),
    .second_o(clk48),
    .third_o (clk12),
    .locked_o(locked)
  );

  xt_board_top #(
    .Serial  (Serial),
    .ClockKhz(40000),
    .Front   (1),
    .Links   (4)
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
    .lights_o        (lights)
  );

  assign usb_dp = lines_oe ? lines[1] : 1'bz;
  assign usb_dn = lines_oe ? lines[0] : 1'bz;
  assign led    = {up, lights};

endmodule

`default_nettype wire
