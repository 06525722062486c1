// SPDX-License-Identifier: Apache-2.0
//
// Stands for rtl/frontend/xt_uart.sv in the simulation of boards: the same ports, but bytes go straight to and from the
// process that simulates, one a cycle, and the line says nothing.
`default_nettype none

module xt_uart #(
  /// As in the other one; not used.
  parameter int BitCycles = 60
) (
  /// Clock.
  input  logic       clk_i,
  /// Reset, active low, synchronous.
  input  logic       rst_ni,

  /// Line from the host.
  input  logic       rx_i,
  /// Line to the host.
  output logic       tx_o,

  /// A byte from the host.
  output logic       rx_valid_o,
  /// It is taken.
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
  wire unused = rx_i | (BitCycles == 0);
  int  next;
  // verilator lint_on UNUSEDSIGNAL

  assign tx_o       = 1'b1;
  assign tx_ready_o = 1'b1;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      rx_valid_o <= 1'b0;
    end else begin
      if (!rx_valid_o || rx_ready_i) begin
        next = plane_take(0);  // below 0: none
        rx_valid_o <= next >= 0;
        rx_byte_o  <= next[7:0];
      end
      if (tx_valid_i) plane_give(0, {24'd0, tx_byte_i});
    end
  end

endmodule

`default_nettype wire
