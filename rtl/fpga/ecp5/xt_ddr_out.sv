// SPDX-License-Identifier: Apache-2.0
//
// Two bits a cycle to a pin of an ECP5. Only for synthesis.
`default_nettype none

module xt_ddr_out (
  /// Clock.
  input  logic clk_i,
  /// What the pin says while the clock is high.
  input  logic rise_i,
  /// And then while it is low.
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
