// SPDX-License-Identifier: Apache-2.0
//
// Stands for xt_uart in the simulation of boards. Bytes go straight to and from the process that simulates, one in each cycle.
// The line stays idle.
`default_nettype none

module xt_uart_standin #(
  /// As in xt_uart; not used.
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
        next = mesh_take(0);  // negative: no byte
        rx_valid_o <= next >= 0;
        rx_byte_o  <= next[7:0];
      end
      if (tx_valid_i) mesh_give(0, {24'd0, tx_byte_i});
    end
  end

endmodule

`default_nettype wire
