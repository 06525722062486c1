// SPDX-License-Identifier: Apache-2.0
//
// Stands for xt_ft245 in the simulation of boards. Bytes go straight to and from the process that simulates, one in each cycle.
// The pins stay idle.
`default_nettype none

module xt_ft245_standin (
  /// Clock of the chip.
  input  logic       clk_i,
  /// Reset, active low, synchronous.
  input  logic       rst_ni,

  /// Pin RXF#. 0: the chip has a byte from the host.
  input  logic       rxf_ni,
  /// Pin TXE#. 0: the chip has room for a byte to the host.
  input  logic       txe_ni,
  /// Pin RD#. 0: take the byte.
  output logic       rd_no,
  /// Pin WR#. 0: give a byte.
  output logic       wr_no,
  /// Pin OE#. 0: the chip drives the data.
  output logic       oe_no,
  /// Pin SIWU#. 0: send at once; not used, because the chip has a latency timer.
  output logic       siwu_no,
  /// Data pins, in.
  input  logic [7:0] data_i,
  /// Data pins, out.
  output logic [7:0] data_o,
  /// Drive the data pins.
  output logic       data_oe_o,

  /// A byte from the host is valid.
  output logic       rx_valid_o,
  /// The byte from the host is taken.
  input  logic       rx_ready_i,
  /// The byte from the host.
  output logic [7:0] rx_byte_o,
  /// A byte to the host is valid.
  input  logic       tx_valid_i,
  /// The byte to the host is taken.
  output logic       tx_ready_o,
  /// The byte to the host.
  input  logic [7:0] tx_byte_i
);

  import "DPI-C" function int mesh_take(input int front);
  import "DPI-C" function void mesh_give(input int front, input int value);

  // verilator lint_off UNUSEDSIGNAL
  wire unused = ^{rxf_ni, txe_ni, data_i};
  int  next;
  // verilator lint_on UNUSEDSIGNAL

  assign rd_no      = 1'b1;
  assign wr_no      = 1'b1;
  assign oe_no      = 1'b1;
  assign siwu_no    = 1'b1;
  assign data_o     = '0;
  assign data_oe_o  = 1'b0;
  assign tx_ready_o = 1'b1;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      rx_valid_o <= 1'b0;
    end else begin
      if (!rx_valid_o || rx_ready_i) begin
        next = mesh_take(2);  // negative: no byte
        rx_valid_o <= next >= 0;
        rx_byte_o  <= next[7:0];
      end
      if (tx_valid_i) mesh_give(2, {24'd0, tx_byte_i});
    end
  end

endmodule

`default_nettype wire
