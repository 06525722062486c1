// SPDX-License-Identifier: Apache-2.0
//
// Stands for rtl/frontend/xt_ft245.sv in the simulation of boards: the same ports, but bytes go straight to and from the process that
// simulates, one a cycle, and the pins say nothing.
`default_nettype none

module xt_ft245 (
  /// Clock of the chip.
  input  logic       clk_i,
  /// Reset, active low, synchronous.
  input  logic       rst_ni,

  /// Pin RXF#: 0, a byte from the host is there.
  input  logic       rxf_ni,
  /// Pin TXE#: 0, there is room for a byte to the host.
  input  logic       txe_ni,
  /// Pin RD#: 0, takes the byte.
  output logic       rd_no,
  /// Pin WR#: 0, gives a byte.
  output logic       wr_no,
  /// Pin OE#: 0, the chip drives the data.
  output logic       oe_no,
  /// Pin SIWU#: 0, send what there is at once; not used, the chip's latency timer does.
  output logic       siwu_no,
  /// Data pins, in.
  input  logic [7:0] data_i,
  /// Data pins, out.
  output logic [7:0] data_o,
  /// Drive the data pins.
  output logic       data_oe_o,

  /// A byte from the host, only while there is room.
  output logic       rx_valid_o,
  /// There is room for it.
  input  logic       rx_ready_i,
  /// The byte.
  output logic [7:0] rx_byte_o,
  /// A byte to the host.
  input  logic       tx_valid_i,
  /// It is taken.
  output logic       tx_ready_o,
  /// The byte.
  input  logic [7:0] tx_byte_i
);

  import "DPI-C" function int plane_take(input int front);
  import "DPI-C" function void plane_give(input int front, input int value);

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
        next = plane_take(2);  // below 0: none
        rx_valid_o <= next >= 0;
        rx_byte_o  <= next[7:0];
      end
      if (tx_valid_i) plane_give(2, {24'd0, tx_byte_i});
    end
  end

endmodule

`default_nettype wire
