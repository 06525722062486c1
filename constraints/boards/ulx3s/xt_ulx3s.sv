// SPDX-License-Identifier: Apache-2.0
//
// ULX3S: a twin node behind the UART of the FTDI chip (socket US1), and behind USB of its own (US2). Four of
// its six links are at pins. Links 0 and 1 are those of dimension 0 (card 0, ports 0 and 1). Links 2 and 3
// are those of dimension 1 (card 0, port 2; card 1, port 0). So boards make a plane.
`default_nettype none

module xt_ulx3s #(
  /// Serial number of the board.
  parameter int Serial = 1,
  /// Cycles of a bit of the UART.
  parameter int BitCycles = 40
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

  /// 0 to 3: as xt_node has them; 4 to 7: links 0 to 3 receive at both ends.
  output logic [ 7:0] led
);

  logic clk, clk90, clk48, clk12, locked, rst_n;
  logic restart, rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic [1:0] lines;  // D+, D-
  logic lines_oe;
  logic [3:0] lights, up;

  // 25 MHz / 5 * 8; 480 MHz / 10 and / 40.
  xt_pll #(
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

  xt_linked_node #(
    .Serial   (Serial),
    .BitCycles(BitCycles),
    .Second   (1)
  ) i_node (
    .clk_i      (clk),
    .clk90_i    (clk90),
    .run_i      (locked & btn_pwr_n),
    .uart_rx_i  (ftdi_txd),
    .uart_tx_o  (ftdi_rxd),
    .rst_no     (rst_n),
    .restart_i  (restart),
    .rx_valid_i (rx_valid),
    .rx_ready_o (rx_ready),
    .rx_byte_i  (rx_byte),
    .tx_valid_o (tx_valid),
    .tx_ready_i (tx_ready),
    .tx_byte_o  (tx_byte),
    .pin_clk_o  (link_clk_o),
    .pin_data_o (link_data_o),
    .pin_clk_i  (link_clk_i),
    .pin_data_i (link_data_i),
    .up_o       (up),
    .lights_o   (lights)
  );

  assign usb_dp = lines_oe ? lines[1] : 1'bz;
  assign usb_dn = lines_oe ? lines[0] : 1'bz;

  xt_usb_full i_usb (
    .serial_i      (64'(Serial)),
    .clk12_i       (clk12),
    .clk48_i       (clk48),
    .lines_i       ({usb_dp, usb_dn}),
    .lines_o       (lines),
    .lines_oe_o    (lines_oe),
    .pull_up_o     (usb_pull_dp),
    .clk_i         (clk),
    .rst_ni        (rst_n),
    .restart_o     (restart),
    .rx_valid_o    (rx_valid),
    .rx_ready_i    (rx_ready),
    .rx_byte_o     (rx_byte),
    .tx_valid_i    (tx_valid),
    .tx_ready_o    (tx_ready),
    .tx_byte_i     (tx_byte)
  );

  assign led = {up, lights};

endmodule

`default_nettype wire
