// SPDX-License-Identifier: Apache-2.0
//
// Two bits in each cycle from a pin of a Xilinx 7-series device. For synthesis only: xt_phy_pins has a model for simulation.
`default_nettype none

module xt_ddr_in_xilinx7 (
  /// Clock.
  input  logic clk_i,
  /// The pin.
  input  logic pin_i,
  /// The pin at a rising edge.
  output logic rise_o,
  /// The pin at a falling edge, maybe of another cycle.
  output logic fall_o
);

  IDDR #(
    .DDR_CLK_EDGE("SAME_EDGE_PIPELINED"),
    .SRTYPE      ("SYNC")
  ) i_cell (
    .C (clk_i),
    .CE(1'b1),
    .D (pin_i),
    .R (1'b0),
    .S (1'b0),
    .Q1(rise_o),
    .Q2(fall_o)
  );

endmodule

`default_nettype wire
