// SPDX-License-Identifier: Apache-2.0
//
// Two bits in each cycle to a pin of a Xilinx 7-series device. For synthesis only: xt_phy_pins has a model for simulation.
`default_nettype none

module xt_ddr_out_xilinx7 (
  /// Clock.
  input  logic clk_i,
  /// Level of the pin while the clock is high.
  input  logic rise_i,
  /// Level of the pin while the clock is low afterwards.
  input  logic fall_i,
  /// The pin.
  output logic pin_o
);

  ODDR #(
    .DDR_CLK_EDGE("SAME_EDGE"),
    .SRTYPE      ("SYNC")
  ) i_cell (
    .C (clk_i),
    .CE(1'b1),
    .D1(rise_i),
    .D2(fall_i),
    .R (1'b0),
    .S (1'b0),
    .Q (pin_o)
  );

endmodule

`default_nettype wire
