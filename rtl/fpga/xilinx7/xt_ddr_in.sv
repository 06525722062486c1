// SPDX-License-Identifier: Apache-2.0
//
// Two bits a cycle from a pin of a Xilinx 7-series device. Only for synthesis.
`default_nettype none

module xt_ddr_in (
  /// Clock.
  input  logic clk_i,
  /// The pin.
  input  logic pin_i,
  /// What it said at a rising edge.
  output logic rise_o,
  /// And at a falling one; maybe of another cycle.
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
