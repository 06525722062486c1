// SPDX-License-Identifier: Apache-2.0
//
// The front end at its UTMI, with what is behind it.
`default_nettype none

module utmi_board (
  input  logic        usb_clk_i,
  input  logic [ 7:0] utmi_rx_data_i,
  input  logic        utmi_rx_active_i,
  input  logic        utmi_rx_valid_i,
  output logic [ 7:0] utmi_tx_data_o,
  output logic        utmi_tx_valid_o,
  input  logic        utmi_tx_ready_i,
  input  logic [ 1:0] utmi_line_state_i,
  output logic [ 1:0] utmi_xcvr_select_o,
  output logic [ 1:0] utmi_op_mode_o,
  output logic        utmi_term_select_o,
  input  logic        clk_i,
  input  logic        rst_ni,
  /// Words written so far.
  output logic [15:0] writes_o
);

  /// Serial number, as the cases know it.
  localparam logic [63:0] Serial = 64'h0123_4567_89ab_cdef;

  logic restart, rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;

  xt_usb i_usb (
    .serial_i  (Serial),
    .usb_clk_i,
    .usb_rst_ni(rst_ni),
    .utmi_rx_data_i,
    .utmi_rx_active_i,
    .utmi_rx_valid_i,
    .utmi_tx_data_o,
    .utmi_tx_valid_o,
    .utmi_tx_ready_i,
    .utmi_line_state_i,
    .utmi_xcvr_select_o,
    .utmi_op_mode_o,
    .utmi_term_select_o,
    .utmi_busy_i(1'b0),
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
