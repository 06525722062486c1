// SPDX-License-Identifier: Apache-2.0
//
// Stands for the generated device in the simulation of boards: bytes go straight to and from the process that simulates, one a
// cycle, and the PHY hears nothing. The host never begins anew.
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

  import "DPI-C" function int plane_take(input int front);
  import "DPI-C" function void plane_give(input int front, input int value);

  // verilator lint_off UNUSEDSIGNAL
  wire unused = ^{serial, rx_data, rx_active, rx_valid, tx_ready, line_state, busy, in_last};
  int  next;
  // verilator lint_on UNUSEDSIGNAL

  assign tx_data     = '0;
  assign tx_valid    = 1'b0;
  assign xcvr_select = '0;
  assign op_mode     = '0;
  assign term_select = 1'b0;
  assign restart     = 1'b0;
  assign in_ready    = 1'b1;

  always @(posedge usb_clk) begin
    if (usb_rst) begin
      out_valid <= 1'b0;
    end else begin
      if (!out_valid || out_ready) begin
        // verilator lint_off BLKSEQ
        next = plane_take(1);  // below 0: none
        // verilator lint_on BLKSEQ
        out_valid <= next >= 0;
        out_byte  <= next[7:0];
      end
      if (in_valid) plane_give(1, {24'd0, in_byte});
    end
  end

endmodule

`default_nettype wire
