// SPDX-License-Identifier: Apache-2.0
//
// Stands for the generated device: one that never says anything and takes no byte.
`default_nettype none

module xt_usb_core (
  /// Clock.
  input  logic        usb_clk,
  /// Reset.
  input  logic        usb_rst,
  /// Serial number.
  input  logic [63:0] serial,
  /// UTMI.
  input  logic [7:0]  rx_data,
  /// UTMI.
  input  logic        rx_active,
  /// UTMI.
  input  logic        rx_valid,
  /// UTMI.
  input  logic        tx_ready,
  /// UTMI.
  input  logic [1:0]  line_state,
  /// UTMI.
  output logic [7:0]  tx_data,
  /// UTMI.
  output logic        tx_valid,
  /// UTMI.
  output logic [1:0]  xcvr_select,
  /// UTMI.
  output logic [1:0]  op_mode,
  /// UTMI.
  output logic        term_select,
  /// The PHY cannot take a packet.
  input  logic        busy,
  /// A byte from the host.
  output logic        out_valid,
  /// It is taken.
  input  logic        out_ready,
  /// The byte.
  output logic [7:0]  out_byte,
  /// A byte to the host.
  input  logic        in_valid,
  /// It is taken.
  output logic        in_ready,
  /// The byte.
  input  logic [7:0]  in_byte,
  /// It is the last of a transfer.
  input  logic        in_last,
  /// The host has reset the bus or set the configuration.
  output logic        restart
);

  assign tx_data = '0;
  assign tx_valid = 1'b0;
  assign xcvr_select = '0;
  assign op_mode = '0;
  assign term_select = 1'b0;
  assign out_valid = 1'b0;
  assign out_byte = '0;
  assign in_ready = 1'b0;
  assign restart = 1'b0;

  // verilator lint_off UNUSEDSIGNAL
  wire unused = ^{usb_clk, usb_rst, serial, rx_data, rx_active, rx_valid, tx_ready, line_state, busy, out_ready, in_valid, in_byte, in_last};
  // verilator lint_on UNUSEDSIGNAL

endmodule

`default_nettype wire
