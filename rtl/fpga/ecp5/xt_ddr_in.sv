// SPDX-License-Identifier: Apache-2.0
//
// Two bits a cycle from a pin of an ECP5. Only for synthesis.
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

  IDDRX1F i_cell (
    .SCLK(clk_i),
    .RST (1'b0),
    .D   (pin_i),
    .Q0  (rise_o),
    .Q1  (fall_o)
  );

endmodule

`default_nettype wire
