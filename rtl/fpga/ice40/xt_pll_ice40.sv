// SPDX-License-Identifier: Apache-2.0
//
// Clock of a board from its oscillator, by a PLL of the iCE40. The VCO runs at InKhz / InDiv * FeedbackDiv, which must be 533 to
// 1066 MHz. The output clock is the VCO's clock divided by 2^OutShift.
//
// With XT_SIMULATION the output is the input.
`default_nettype none

module xt_pll_ice40 #(
  /// Frequency of the oscillator.
  parameter int InKhz = 12000,
  /// Divider of the input, 1 to 16.
  parameter int InDiv = 1,
  /// Divider of the feedback, 1 to 128.
  parameter int FeedbackDiv = 64,
  /// Logarithm of the divider of the output.
  parameter int OutShift = 5,
  /// 1, 2, 3 for an input to the phase detector, InKhz / InDiv, of 10 to 17, 17 to 26, 26 to 44 MHz.
  parameter int FilterRange = 1
) (
  /// Clock from the oscillator.
  input  logic clk_i,
  /// The clock.
  output logic clk_o,
  /// The clock is stable.
  output logic locked_o
);

  localparam int VcoKhz = InKhz / InDiv * FeedbackDiv;

  if (VcoKhz < 533000 || VcoKhz > 1066000) begin : g_illegal
    xt_pll_oscillator_must_run_at_533_to_1066_mhz i_illegal ();
  end

`ifdef XT_SIMULATION
  assign clk_o    = clk_i;
  assign locked_o = OutShift > 0 && FilterRange > 0;
`else
  SB_PLL40_CORE #(
    .FEEDBACK_PATH("SIMPLE"),
    .DIVR         (4'(InDiv - 1)),
    .DIVF         (7'(FeedbackDiv - 1)),
    .DIVQ         (3'(OutShift)),
    .FILTER_RANGE (3'(FilterRange))
  ) i_pll (
    .REFERENCECLK(clk_i),
    .PLLOUTGLOBAL(clk_o),
    .LOCK        (locked_o),
    .RESETB      (1'b1),
    .BYPASS      (1'b0)
  );
`endif

endmodule

`default_nettype wire
