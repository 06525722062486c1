// SPDX-License-Identifier: Apache-2.0
//
// Stands for the generated UTMI at a ULPI PHY. The outputs stay idle.
`default_nettype none

module xt_usb_ulpi_standin (
  /// Clock, 60 MHz.
  input  logic        usb_clk,
  /// Reset.
  input  logic        usb_rst,
  /// ULPI: data in.
  input  logic [7:0]  bus__data__i,
  /// ULPI: data out.
  output logic [7:0]  bus__data__o,
  /// ULPI: drive the data.
  output logic        bus__data__oe,
  /// ULPI: DIR.
  input  logic        bus__dir__i,
  /// ULPI: NXT.
  input  logic        bus__nxt__i,
  /// ULPI: STP.
  output logic        bus__stp__o,
  /// ULPI: reset of the PHY.
  output logic        bus__rst__o,
  /// The PHY cannot take a packet to send.
  output logic        busy,
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
