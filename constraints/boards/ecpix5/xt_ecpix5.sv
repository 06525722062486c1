// SPDX-License-Identifier: Apache-2.0
//
// ECPIX-5: a twin node behind the UART of the debugger, and behind USB of its own by the ULPI PHY. Four of
// its six links are at pins. Links 0 and 1 are those of dimension 0 (card 0, ports 0 and 1). Links 2 and 3
// are those of dimension 1 (card 0, port 2; card 1, port 0). So boards make a plane.
`default_nettype none

module xt_ecpix5 #(
  /// Serial number of the board.
  parameter int Serial = 1,
  /// Cycles of a bit of the UART.
  parameter int BitCycles = 40
) (
  /// Oscillator, 100 MHz.
  input  logic        clk_100mhz,
  /// Button SW0: 0 resets.
  input  logic        btn_n,
  /// UART from the host.
  input  logic        uart_rx,
  /// UART to the host.
  output logic        uart_tx,

  /// USB3300: clock, 60 MHz.
  input  logic        ulpi_clk,
  /// USB3300: it drives the data.
  input  logic        ulpi_dir,
  /// USB3300: it takes or gives a byte.
  input  logic        ulpi_nxt,
  /// USB3300: end of what was said to it.
  output logic        ulpi_stp,
  /// USB3300: 1 resets it.
  output logic        ulpi_rst,
  /// USB3300: data.
  inout  wire logic [7:0] ulpi_data,

  /// Links: clock to the other end.
  output logic [ 3:0] link_clk_o,
  /// Links: four lanes each to the other end.
  output logic [15:0] link_data_o,
  /// Links: clock from the other end.
  input  logic [ 3:0] link_clk_i,
  /// Links: four lanes each from the other end.
  input  logic [15:0] link_data_i,

  /// 0 to 3: as xt_node has them; 4 to 7: links 0 to 3 receive at both ends; 0 lights.
  output logic [ 7:0] led
);

  logic clk, clk90, locked, rst_n;
  logic [1:0] unused_clk;
  logic restart, rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic [7:0] data;
  logic data_oe;
  logic [3:0] lights, up;

  // 100 MHz / 5 * 2.
  xt_pll #(
    .InKhz      (100000),
    .InDiv      (5),
    .FeedbackDiv(2),
    .OutDiv     (12)
  ) i_pll (
    .clk_i   (clk_100mhz),
    .clk_o   (clk),
    .clk90_o (clk90),
    .second_o(unused_clk[0]),
    .third_o (unused_clk[1]),
    .locked_o(locked)
  );

  xt_linked_node #(
    .Serial   (Serial),
    .BitCycles(BitCycles),
    .Second   (1)
  ) i_node (
    .clk_i      (clk),
    .clk90_i    (clk90),
    .run_i      (locked & btn_n),
    .uart_rx_i  (uart_rx),
    .uart_tx_o  (uart_tx),
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

  assign ulpi_rst  = !rst_n;
  assign ulpi_data = data_oe ? data : 8'hzz;

  xt_usb_high i_usb (
    .serial_i      (64'(Serial)),
    .ulpi_clk_i    (ulpi_clk),
    .ulpi_dir_i    (ulpi_dir),
    .ulpi_nxt_i    (ulpi_nxt),
    .ulpi_stp_o    (ulpi_stp),
    .ulpi_data_i   (ulpi_data),
    .ulpi_data_o   (data),
    .ulpi_data_oe_o(data_oe),
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

  assign led = ~{up, lights};

endmodule

`default_nettype wire
