// SPDX-License-Identifier: Apache-2.0
//
// Clocks of a board from its oscillator, by a PLL of the ECP5. The output clock has InKhz / InDiv * FeedbackDiv. The VCO runs at
// OutDiv times this frequency, which must be 400 to 800 MHz. The second and third clock are the VCO's clock divided. Two clocks
// are in phase if the divider of one is a multiple of the other's.
//
// The phase of clk90_o moves by an eighth of the VCO's period at the end of each pulse of phase_step_i. The direction must stand
// still around this moment, and a pulse and a pause must each take four periods of the VCO.
//
// With XT_SIMULATION the input must have ModelSteps / 2 times the frequency of the output, and a step is a ModelSteps-th of the
// output's period. The second clock is then the same as the output, and the third has a quarter of its frequency.
`default_nettype none

module xt_pll_ecp5 #(
  /// Frequency of the oscillator.
  parameter int InKhz = 25000,
  /// Divider of the input.
  parameter int InDiv = 1,
  /// Divider of the feedback.
  parameter int FeedbackDiv = 2,
  /// Divider of the output, a multiple of 4.
  parameter int OutDiv = 12,
  /// Divider of the second clock; 0: no such clock.
  parameter int SecondDiv = 0,
  /// Divider of the third clock; 0: no such clock.
  parameter int ThirdDiv = 0,
  /// Steps of the output's period in simulation, a multiple of 4.
  parameter int ModelSteps = 4
) (
  /// Clock from the oscillator.
  input  logic clk_i,
  /// The clock.
  output logic clk_o,
  /// The same clock, a quarter of a period later.
  output logic clk90_o,
  /// The second clock.
  output logic second_o,
  /// The third clock.
  output logic third_o,
  /// Steps of the output's period.
  output logic [7:0] phase_steps_o,
  /// A step of clk90_o at the pulse's end.
  input  logic phase_step_i,
  /// The step makes clk90_o earlier.
  input  logic phase_back_i,
  /// The clock is stable.
  output logic locked_o
);

  localparam int VcoKhz = InKhz / InDiv * FeedbackDiv * OutDiv;

  if (VcoKhz < 400000 || VcoKhz > 800000 || OutDiv % 4 != 0 || SecondDiv < 0 || SecondDiv > 128 || ThirdDiv < 0
      || ThirdDiv > 128)
  begin : g_illegal
    xt_pll_oscillator_must_run_at_400_to_800_mhz_and_be_divided_by_128_at_most i_illegal ();
  end

`ifdef XT_SIMULATION
  // Not always_ff, because the initial values are a second process.
  logic half_q;
  int tick, late;  // the input's edge in a period of the output; those that clk90_o comes after clk_o
  initial begin
    clk_o   = 1'b0;
    clk90_o = 1'b0;
    half_q  = 1'b0;
    third_o = 1'b0;
    tick    = 0;
    late    = ModelSteps / 4;
  end
  always @(posedge clk_i or negedge clk_i) begin
    tick    <= (tick + 1) % ModelSteps;
    clk_o   <= tick < ModelSteps / 2;
    clk90_o <= (tick + ModelSteps - late) % ModelSteps < ModelSteps / 2;
  end
  always @(negedge phase_step_i) late <= (late + (phase_back_i ? ModelSteps - 1 : 1)) % ModelSteps;
  assign phase_steps_o = 8'(ModelSteps);
  assign second_o = clk_o;
  always @(posedge clk_i) begin
    if (!clk_o) half_q <= ~half_q;
    if (!clk_o && half_q) third_o <= ~third_o;
  end
  assign locked_o = 1'b1;
`else
  assign phase_steps_o = (8 * OutDiv < 256) ? 8'(8 * OutDiv) : 8'd0;
  (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .PLLRST_ENA      ("DISABLED"),
    .INTFB_WAKE      ("DISABLED"),
    .STDBY_ENABLE    ("DISABLED"),
    .DPHASE_SOURCE   ("ENABLED"),
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
    .CLKOS2_ENABLE   (SecondDiv != 0 ? "ENABLED" : "DISABLED"),
    .CLKOS2_DIV      (SecondDiv != 0 ? SecondDiv : 1),
    .CLKOS2_CPHASE   (SecondDiv != 0 ? SecondDiv - 1 : 0),
    .CLKOS2_FPHASE   (0),
    .CLKOS3_ENABLE   (ThirdDiv != 0 ? "ENABLED" : "DISABLED"),
    .CLKOS3_DIV      (ThirdDiv != 0 ? ThirdDiv : 1),
    .CLKOS3_CPHASE   (ThirdDiv != 0 ? ThirdDiv - 1 : 0),
    .CLKOS3_FPHASE   (0),
    .FEEDBK_PATH     ("CLKOP")
  ) i_pll (
    .CLKI        (clk_i),
    .CLKFB       (clk_o),
    .CLKOP       (clk_o),
    .CLKOS       (clk90_o),
    .CLKOS2      (second_o),
    .CLKOS3      (third_o),
    .LOCK        (locked_o),
    .RST         (1'b0),
    .STDBY       (1'b0),
    .PHASESEL0   (1'b0),  // CLKOS
    .PHASESEL1   (1'b0),
    .PHASEDIR    (phase_back_i),
    .PHASESTEP   (phase_step_i),
    .PHASELOADREG(1'b0),
    .PLLWAKESYNC (1'b0),
    .ENCLKOP     (1'b0),
    .ENCLKOS     (1'b0)
  );
`endif

endmodule

`default_nettype wire
