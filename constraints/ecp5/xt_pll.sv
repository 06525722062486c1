// SPDX-License-Identifier: Apache-2.0
//
// The clock of a board, and the same a quarter later, from its oscillator, by a PLL of the ECP5. The oscillator of the PLL runs at
// InKhz / InDiv * FeedbackDiv * OutDiv, which has to be 400 to 800 MHz; what comes out is InKhz / InDiv * FeedbackDiv.
//
// With XT_SIMULATION what comes in is to be of twice the frequency that comes out.
`default_nettype none

module xt_pll #(
  /// Frequency of the oscillator.
  parameter int InKhz = 25000,
  /// Divider of the input.
  parameter int InDiv = 1,
  /// Divider of the feedback.
  parameter int FeedbackDiv = 2,
  /// Divider of the output, a multiple of 4.
  parameter int OutDiv = 12
) (
  /// From the oscillator.
  input  logic clk_i,
  /// The clock.
  output logic clk_o,
  /// The same, a quarter later.
  output logic clk90_o,
  /// It runs.
  output logic locked_o
);

  localparam int VcoKhz = InKhz / InDiv * FeedbackDiv * OutDiv;

  if (VcoKhz < 400000 || VcoKhz > 800000 || OutDiv % 4 != 0) begin : g_illegal
    xt_pll_oscillator_must_run_at_400_to_800_mhz i_illegal ();
  end

`ifdef XT_SIMULATION
  initial begin
    clk_o   = 1'b0;
    clk90_o = 1'b0;
  end
  always_ff @(posedge clk_i) clk_o <= ~clk_o;
  always_ff @(negedge clk_i) clk90_o <= clk_o;
  assign locked_o = 1'b1;
`else
  (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .PLLRST_ENA      ("DISABLED"),
    .INTFB_WAKE      ("DISABLED"),
    .STDBY_ENABLE    ("DISABLED"),
    .DPHASE_SOURCE   ("DISABLED"),
    .OUTDIVIDER_MUXA ("DIVA"),
    .OUTDIVIDER_MUXB ("DIVB"),
    .OUTDIVIDER_MUXC ("DIVC"),
    .OUTDIVIDER_MUXD ("DIVD"),
    .CLKI_DIV        (InDiv),
    .CLKFB_DIV       (FeedbackDiv),
    .CLKOP_ENABLE    ("ENABLED"),
    .CLKOP_DIV       (OutDiv),
    .CLKOP_CPHASE    (OutDiv - 1),
    .CLKOP_FPHASE    (0),
    .CLKOS_ENABLE    ("ENABLED"),
    .CLKOS_DIV       (OutDiv),
    .CLKOS_CPHASE    (OutDiv - 1 + OutDiv / 4),
    .CLKOS_FPHASE    (0),
    .FEEDBK_PATH     ("CLKOP")
  ) i_pll (
    .CLKI        (clk_i),
    .CLKFB       (clk_o),
    .CLKOP       (clk_o),
    .CLKOS       (clk90_o),
    .LOCK        (locked_o),
    .RST         (1'b0),
    .STDBY       (1'b0),
    .PHASESEL0   (1'b0),
    .PHASESEL1   (1'b0),
    .PHASEDIR    (1'b1),
    .PHASESTEP   (1'b1),
    .PHASELOADREG(1'b1),
    .PLLWAKESYNC (1'b0),
    .ENCLKOP     (1'b0),
    .ENCLKOS     (1'b0)
  );
`endif

endmodule

`default_nettype wire
