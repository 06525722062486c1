// SPDX-License-Identifier: Apache-2.0
//
// Two bits in each cycle to a pin of an ECP5. For synthesis only: xt_phy_pins has a model for simulation.
`default_nettype none

module xt_ddr_out_ecp5 (
  /// Clock.
  input  logic clk_i,
  /// Level of the pin while the clock is high.
  input  logic rise_i,
  /// Level of the pin while the clock is low afterwards.
  input  logic fall_i,
  /// The pin.
  output logic pin_o
);

  ODDRX1F i_cell (
    .SCLK(clk_i),
    .RST (1'b0),
    .D0  (rise_i),
    .D1  (fall_i),
    .Q   (pin_o)
  );

endmodule

`default_nettype wire
