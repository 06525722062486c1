// SPDX-License-Identifier: Apache-2.0
//
// Stands for the generated way to the lines of full speed: it drives nothing.
`default_nettype none

module xt_usb_pins (
  /// Clock, 12 MHz.
  input  logic        usb_clk,
  /// Reset.
  input  logic        usb_rst,
  /// Clock, 48 MHz.
  input  logic        usb_io_clk,
  /// Reset.
  input  logic        usb_io_rst,
  /// D+.
  input  logic        io__d_p__i,
  /// D+.
  output logic        io__d_p__o,
  /// Drive D+.
  output logic        io__d_p__oe,
  /// D-.
  input  logic        io__d_n__i,
  /// D-.
  output logic        io__d_n__o,
  /// Drive D-.
  output logic        io__d_n__oe,
  /// Pull D+ up.
  output logic        io__pullup__o,
  /// UTMI.
  output logic [7:0]  rx_data,
  /// UTMI.
  output logic        rx_active,
  /// UTMI.
  output logic        rx_valid,
  /// UTMI.
  output logic        tx_ready,
  /// UTMI.
  output logic [1:0]  line_state,
  /// UTMI.
  input  logic [7:0]  tx_data,
  /// UTMI.
  input  logic        tx_valid,
  /// UTMI.
  input  logic [1:0]  xcvr_select,
  /// UTMI.
  input  logic [1:0]  op_mode,
  /// UTMI.
  input  logic        term_select
);

  assign io__d_p__o = 1'b0;
  assign io__d_p__oe = 1'b0;
  assign io__d_n__o = 1'b0;
  assign io__d_n__oe = 1'b0;
  assign io__pullup__o = 1'b0;
  assign rx_data = '0;
  assign rx_active = 1'b0;
  assign rx_valid = 1'b0;
  assign tx_ready = 1'b0;
  assign line_state = '0;

  // verilator lint_off UNUSEDSIGNAL
  wire unused = ^{usb_clk, usb_rst, usb_io_clk, usb_io_rst, io__d_p__i, io__d_n__i, tx_data, tx_valid, xcvr_select, op_mode, term_select};
  // verilator lint_on UNUSEDSIGNAL

endmodule

`default_nettype wire
