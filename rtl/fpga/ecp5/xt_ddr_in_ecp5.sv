// SPDX-License-Identifier: Apache-2.0
//
// Two bits in each cycle from a pin of an ECP5. For synthesis only: xt_phy_pins has a model for simulation.
`default_nettype none

module xt_ddr_in_ecp5 (
  /// Clock.
  input  logic clk_i,
  /// The pin.
  input  logic pin_i,
  /// The pin at a rising edge.
  output logic rise_o,
  /// The pin at a falling edge, maybe of another cycle.
  output logic fall_o
);

  IDDRX1F i_cell (
    .SCLK(clk_i),
    .RST (1'b0),
    .D   (pin_i),
    .Q0  (rise_o),
    .Q1  (fall_o)
  );

endmodule

`default_nettype wire
