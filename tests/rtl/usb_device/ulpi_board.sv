// SPDX-License-Identifier: Apache-2.0
//
// The front end at a ULPI, with what is behind it.
`default_nettype none

module ulpi_board (
  input  logic        ulpi_clk_i,
  input  logic        ulpi_dir_i,
  input  logic        ulpi_nxt_i,
  output logic        ulpi_stp_o,
  input  logic [ 7:0] ulpi_data_i,
  output logic [ 7:0] ulpi_data_o,
  output logic        ulpi_data_oe_o,
  input  logic        clk_i,
  input  logic        rst_ni,
  /// Words written so far.
  output logic [15:0] writes_o
);

  /// Serial number, as the cases know it.
  localparam logic [63:0] Serial = 64'h0123_4567_89ab_cdef;

  logic restart, rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;

  xt_usb_high i_usb (
    .serial_i  (Serial),
    .ulpi_clk_i,
    .ulpi_dir_i,
    .ulpi_nxt_i,
    .ulpi_stp_o,
    .ulpi_data_i,
    .ulpi_data_o,
    .ulpi_data_oe_o,
    .clk_i,
    .rst_ni,
    .restart_o (restart),
    .rx_valid_o(rx_valid),
    .rx_ready_i(rx_ready),
    .rx_byte_o (rx_byte),
    .tx_valid_i(tx_valid),
    .tx_ready_o(tx_ready),
    .tx_byte_i (tx_byte)
  );

  bench_target i_target (
    .clk_i,
    .rst_ni,
    .serial_i  (Serial),
    .restart_i (restart),
    .rx_valid_i(rx_valid),
    .rx_ready_o(rx_ready),
    .rx_byte_i (rx_byte),
    .tx_valid_o(tx_valid),
    .tx_ready_i(tx_ready),
    .tx_byte_o (tx_byte),
    .writes_o
  );

endmodule

`default_nettype wire
