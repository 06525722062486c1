// SPDX-License-Identifier: Apache-2.0
//
// ButterStick: a twin node behind USB of its own, by the ULPI PHY. Two of its six links are at SYZYGY0 and
// SYZYGY1, in differential pairs. They are those of dimension 0, so that boards make a ring. There is no
// UART.
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
  /// USB3343: end of what was said to it.
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

  /// 0 to 3: as xt_node has them; 4, 5: links 0 and 1 receive at both ends; 6: the supplies are on.
  output logic [6:0] led,
  /// Colour of the LEDs.
  output logic [2:0] led_colour
);

  logic clk, clk90, locked, ready, rst_n;
  logic [1:0] unused_clk, up;
  logic unused_uart_tx;
  logic restart, rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic [7:0] data;
  logic data_oe;
  logic [3:0] lights;

  // 30 MHz / 3 * 4.
  xt_pll #(
    .InKhz      (30000),
    .InDiv      (3),
    .FeedbackDiv(4),
    .OutDiv     (12)
  ) i_pll (
    .clk_i   (clk_30mhz),
    .clk_o   (clk),
    .clk90_o (clk90),
    .second_o(unused_clk[0]),
    .third_o (unused_clk[1]),
    .locked_o(locked)
  );

  xt_butterstick_supply i_supply (
    .clk_i  (clk),
    .run_i  (locked),
    .level_o(supply_level),
    .on_o   (supply_on),
    .ready_o(ready)
  );

  xt_linked_node #(
    .Serial(Serial),
    .Second(1),
    .Links (2)
  ) i_node (
    .clk_i     (clk),
    .clk90_i   (clk90),
    .run_i     (ready),
    .uart_rx_i (1'b1),
    .uart_tx_o (unused_uart_tx),
    .rst_no    (rst_n),
    .restart_i (restart),
    .rx_valid_i(rx_valid),
    .rx_ready_o(rx_ready),
    .rx_byte_i (rx_byte),
    .tx_valid_o(tx_valid),
    .tx_ready_i(tx_ready),
    .tx_byte_o (tx_byte),
    .pin_clk_o (link_clk_o),
    .pin_data_o(link_data_o),
    .pin_clk_i (link_clk_i),
    .pin_data_i(link_data_i),
    .up_o      (up),
    .lights_o  (lights)
  );

  assign ulpi_rst_n = rst_n;
  assign ulpi_data  = data_oe ? data : 8'hzz;

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

  assign led        = {supply_on, up, lights};
  assign led_colour = 3'b010;

endmodule

`default_nettype wire
