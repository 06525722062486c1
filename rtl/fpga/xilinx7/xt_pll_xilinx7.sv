// SPDX-License-Identifier: Apache-2.0
//
// Clocks of a board from its oscillator, by a PLL of a Xilinx 7-series device. The VCO runs at InKhz / InDiv * Multiplier, which
// must be 800 to 1600 MHz (speed grade 1). The output clock is the VCO's clock divided by OutDiv.
//
// With XT_SIMULATION the input must have twice the frequency of the output.
`default_nettype none

module xt_pll_xilinx7 #(
  /// Frequency of the oscillator.
  parameter int InKhz = 100000,
  /// Divider of the input.
  parameter int InDiv = 1,
  /// Multiplier of the divided input.
  parameter int Multiplier = 8,
  /// Divider of the output.
  parameter int OutDiv = 20
) (
  /// Clock from the oscillator.
  input  logic clk_i,
  /// The clock.
  output logic clk_o,
  /// The same clock, a quarter of a period later.
  output logic clk90_o,
  /// The clock is stable.
  output logic locked_o
);

  localparam int VcoKhz = InKhz / InDiv * Multiplier;

  if (VcoKhz < 800000 || VcoKhz > 1600000 || OutDiv < 1 || OutDiv > 128) begin : g_illegal
    xt_pll_oscillator_must_run_at_800_to_1600_mhz_and_be_divided_by_128_at_most i_illegal ();
  end

`ifdef XT_SIMULATION
  // Not always_ff, because the initial values are a second process.
  initial begin
    clk_o   = 1'b0;
    clk90_o = 1'b0;
  end
  always @(posedge clk_i) clk_o <= ~clk_o;
  always @(negedge clk_i) clk90_o <= clk_o;
  assign locked_o = 1'b1;
`else
  logic feedback, clk, clk90;

  PLLE2_BASE #(
    .CLKIN1_PERIOD (1.0e6 / InKhz),
    .DIVCLK_DIVIDE (InDiv),
    .CLKFBOUT_MULT (Multiplier),
    .CLKOUT0_DIVIDE(OutDiv),
    .CLKOUT1_DIVIDE(OutDiv),
    .CLKOUT1_PHASE (90.0)
  ) i_pll (
    .CLKIN1  (clk_i),
    .CLKFBIN (feedback),
    .CLKFBOUT(feedback),
    .CLKOUT0 (clk),
    .CLKOUT1 (clk90),
    .LOCKED  (locked_o),
    .RST     (1'b0),
    .PWRDWN  (1'b0)
  );
  BUFG i_clk (
    .I(clk),
    .O(clk_o)
  );
  BUFG i_clk90 (
    .I(clk90),
    .O(clk90_o)
  );
`endif

endmodule

`default_nettype wire
