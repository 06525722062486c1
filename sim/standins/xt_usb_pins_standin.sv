// SPDX-License-Identifier: Apache-2.0
//
// Stands for the generated UTMI at the lines of full speed. The outputs stay idle.
`default_nettype none

module xt_usb_pins_standin (
  /// Clock, 12 MHz.
  input  logic        usb_clk,
  /// Reset.
  input  logic        usb_rst,
  /// Clock, 48 MHz.
  input  logic        usb_io_clk,
  /// Reset of the 48 MHz clock's registers.
  input  logic        usb_io_rst,
  /// D+ in.
  input  logic        io__d_p__i,
  /// D+ out.
  output logic        io__d_p__o,
  /// Drive D+.
  output logic        io__d_p__oe,
  /// D- in.
  input  logic        io__d_n__i,
  /// D- out.
  output logic        io__d_n__o,
  /// Drive D-.
  output logic        io__d_n__oe,
  /// Pull D+ up.
  output logic        io__pullup__o,
  /// UTMI: received byte.
  output logic [7:0]  rx_data,
  /// UTMI: a packet is being received.
  output logic        rx_active,
  /// UTMI: rx_data is a byte of the packet.
  output logic        rx_valid,
  /// UTMI: the byte to send is taken.
  output logic        tx_ready,
  /// UTMI: state of the lines.
  output logic [1:0]  line_state,
  /// UTMI: byte to send.
  input  logic [7:0]  tx_data,
  /// UTMI: a packet is being sent.
  input  logic        tx_valid,
  /// UTMI: speed.
  input  logic [1:0]  xcvr_select,
  /// UTMI: operating mode.
  input  logic [1:0]  op_mode,
  /// UTMI: termination.
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
