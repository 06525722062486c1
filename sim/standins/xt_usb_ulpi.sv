// SPDX-License-Identifier: Apache-2.0
//
// Stands for the generated way to a ULPI PHY: it drives nothing.
`default_nettype none

module xt_usb_ulpi (
  /// Clock, 60 MHz.
  input  logic        usb_clk,
  /// Reset.
  input  logic        usb_rst,
  /// ULPI.
  input  logic [7:0]  bus__data__i,
  /// ULPI.
  output logic [7:0]  bus__data__o,
  /// ULPI.
  output logic        bus__data__oe,
  /// ULPI.
  input  logic        bus__dir__i,
  /// ULPI.
  input  logic        bus__nxt__i,
  /// ULPI.
  output logic        bus__stp__o,
  /// ULPI.
  output logic        bus__rst__o,
  /// The PHY cannot take a packet.
  output logic        busy,
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

  assign bus__data__o = '0;
  assign bus__data__oe = 1'b0;
  assign bus__stp__o = 1'b0;
  assign bus__rst__o = 1'b0;
  assign busy = 1'b0;
  assign rx_data = '0;
  assign rx_active = 1'b0;
  assign rx_valid = 1'b0;
  assign tx_ready = 1'b0;
  assign line_state = '0;

  // verilator lint_off UNUSEDSIGNAL
  wire unused = ^{usb_clk, usb_rst, bus__data__i, bus__dir__i, bus__nxt__i, tx_data, tx_valid, xcvr_select, op_mode, term_select};
  // verilator lint_on UNUSEDSIGNAL

endmodule

`default_nettype wire
