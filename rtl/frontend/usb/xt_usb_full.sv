// SPDX-License-Identifier: Apache-2.0
//
// Front end: bytes of the bridge over a native USB device at full speed, whose lines are pins. A clock of 48 MHz samples the
// lines. The device core runs at 12 MHz, in phase with 48 MHz.
`default_nettype none

// A simulation may define a stand-in's name (sim/standins).
`ifndef XT_USB_PINS
`define XT_USB_PINS xt_usb_pins
`endif

module xt_usb_full (
  /// Serial number of the board; constant.
  input  logic [63:0] serial_i,

  /// Clock, 12 MHz.
  input  logic        clk12_i,
  /// Clock, 48 MHz, in phase.
  input  logic        clk48_i,
  /// D+ and D- from the pins.
  input  logic [ 1:0] lines_i,
  /// D+ and D- to the pins.
  output logic [ 1:0] lines_o,
  /// Drive D+ and D-.
  output logic        lines_oe_o,
  /// Pull D+ up, which announces a device at full speed.
  output logic        pull_up_o,

  /// Clock of the bridge.
  input  logic        clk_i,
  /// Reset of the bridge, active low, synchronous.
  input  logic        rst_ni,
  /// The host has reset the bus or set the configuration: a pulse.
  output logic        restart_o,
  /// A byte from the host is valid.
  output logic        rx_valid_o,
  /// The byte from the host is taken.
  input  logic        rx_ready_i,
  /// The byte from the host.
  output logic [ 7:0] rx_byte_o,
  /// A byte to the host is valid.
  input  logic        tx_valid_i,
  /// The byte to the host is taken.
  output logic        tx_ready_o,
  /// The byte to the host.
  input  logic [ 7:0] tx_byte_i
);

  logic rst12_n;
  logic rx_active, rx_valid, tx_valid, tx_ready, term_select;
  logic [7:0] rx_data, tx_data;
  logic [1:0] xcvr_select, op_mode;
  logic [1:0] seen_q, line_state_q;  // D+, D-, through two registers

  // This reset changes at edges of 12 MHz, which are edges of 48 MHz too. So both clocks use it.
  xt_board_reset i_reset (
    .clk_i (clk12_i),
    .run_i (rst_ni),
    .rst_no(rst12_n)
  );

  // xt_usb_pins passes the lines on unregistered. The core needs a synchronised line state.
  always_ff @(posedge clk12_i) begin
    seen_q       <= lines_i;
    line_state_q <= seen_q;
  end

  // verilator lint_off PINCONNECTEMPTY
  `XT_USB_PINS i_pins (
    .usb_clk       (clk12_i),
    .usb_rst       (!rst12_n),
    .usb_io_clk    (clk48_i),
    .usb_io_rst    (!rst12_n),
    .io__d_p__i    (lines_i[1]),
    .io__d_p__o    (lines_o[1]),
    .io__d_p__oe   (lines_oe_o),
    .io__d_n__i    (lines_i[0]),
    .io__d_n__o    (lines_o[0]),
    .io__d_n__oe   (),
    .io__pullup__o (pull_up_o),
    .rx_data,
    .rx_active,
    .rx_valid,
    .tx_data,
    .tx_valid,
    .tx_ready,
    .line_state    (),
    .xcvr_select,
    .op_mode,
    .term_select
  );
  // verilator lint_on PINCONNECTEMPTY

  xt_usb i_usb (
    .serial_i,
    .usb_clk_i         (clk12_i),
    .usb_rst_ni        (rst12_n),
    .utmi_rx_data_i    (rx_data),
    .utmi_rx_active_i  (rx_active),
    .utmi_rx_valid_i   (rx_valid),
    .utmi_tx_data_o    (tx_data),
    .utmi_tx_valid_o   (tx_valid),
    .utmi_tx_ready_i   (tx_ready),
    .utmi_line_state_i (line_state_q),
    .utmi_xcvr_select_o(xcvr_select),
    .utmi_op_mode_o    (op_mode),
    .utmi_term_select_o(term_select),
    .utmi_busy_i       (1'b0),
    .clk_i,
    .rst_ni,
    .restart_o,
    .rx_valid_o,
    .rx_ready_i,
    .rx_byte_o,
    .tx_valid_i,
    .tx_ready_o,
    .tx_byte_i
  );

endmodule

`default_nettype wire
