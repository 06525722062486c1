// SPDX-License-Identifier: Apache-2.0
//
// Stands for the generated USB device in the simulation of boards. Bytes go straight to and from the process that simulates, one
// in each cycle. The PHY hears nothing, and the host never starts a new session.
`default_nettype none

module xt_usb_core_standin (
  /// Clock.
  input  logic        usb_clk,
  /// Reset.
  input  logic        usb_rst,
  /// Serial number.
  input  logic [63:0] serial,
  /// UTMI: received byte.
  input  logic [7:0]  rx_data,
  /// UTMI: a packet is being received.
  input  logic        rx_active,
  /// UTMI: rx_data is a byte of the packet.
  input  logic        rx_valid,
  /// UTMI: the byte to send is taken.
  input  logic        tx_ready,
  /// UTMI: state of the lines.
  input  logic [1:0]  line_state,
  /// UTMI: byte to send.
  output logic [7:0]  tx_data,
  /// UTMI: a packet is being sent.
  output logic        tx_valid,
  /// UTMI: speed.
  output logic [1:0]  xcvr_select,
  /// UTMI: operating mode.
  output logic [1:0]  op_mode,
  /// UTMI: termination.
  output logic        term_select,
  /// The PHY cannot take a packet to send.
  input  logic        busy,
  /// A byte from the host is valid.
  output logic        out_valid,
  /// The byte from the host is taken.
  input  logic        out_ready,
  /// The byte from the host.
  output logic [7:0]  out_byte,
  /// A byte to the host is valid.
  input  logic        in_valid,
  /// The byte to the host is taken.
  output logic        in_ready,
  /// The byte to the host.
  input  logic [7:0]  in_byte,
  /// The byte to the host ends a transfer.
  input  logic        in_last,
  /// The host has reset the bus or set the configuration.
  output logic        restart
);

  import "DPI-C" function int mesh_take(input int front);
  import "DPI-C" function void mesh_give(input int front, input int value);

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
        next = mesh_take(1);  // negative: no byte
        // verilator lint_on BLKSEQ
        out_valid <= next >= 0;
        out_byte  <= next[7:0];
      end
      if (in_valid) mesh_give(1, {24'd0, in_byte});
    end
  end

endmodule

`default_nettype wire
