// SPDX-License-Identifier: Apache-2.0
//
// The three adjustable supplies of a ButterStick: two of its SYZYGY connectors, and one of the ULPI PHY's
// pins. A pulse width sets the voltage: 3.546 V less 2.601 V times the share of time at 1. The formula
// follows from the board's resistors, as in the maker's files. Elsewhere these files have 0.70 for "1.8 V",
// and 0.10 or 0.13 for "3.3 V".
//
// The supplies are switched on some time after the widths, and used some time later.
`default_nettype none

module xt_butterstick_supply #(
  /// Logarithm of the cycles before the supplies are switched on, and again before they are used.
  parameter int WaitBits = 18
) (
  /// Clock.
  input  logic       clk_i,
  /// The clock runs; asynchronous.
  input  logic       run_i,
  /// Pulses whose widths set the voltages.
  output logic [2:0] level_o,
  /// The supplies are on.
  output logic       on_o,
  /// The supplies are stable.
  output logic       ready_o
);

`ifdef XT_SIMULATION
  localparam int Wait = (WaitBits > 8) ? 8 : WaitBits;
`else
  localparam int Wait = WaitBits;
`endif
  localparam int PulseBits = 12;
  // 2.5 V for LVDS, and 1.8 V.
  localparam logic [PulseBits-1:0] Links = PulseBits'((3546 - 2500) * (1 << PulseBits) / 2601);
  localparam logic [PulseBits-1:0] Ulpi = PulseBits'((3546 - 1800) * (1 << PulseBits) / 2601);

  logic [1:0] run_q;  // through two registers
  logic [PulseBits-1:0] pulse_q;
  logic [Wait:0] wait_q;

  // What an FPGA is loaded with; a second process, so the other one is not always_ff.
  initial begin
    run_q   = '0;
    pulse_q = '0;
    wait_q  = '0;
    level_o = '0;
    on_o    = 1'b0;
    ready_o = 1'b0;
  end

  always @(posedge clk_i) begin
    run_q   <= {run_q[0], run_i};
    pulse_q <= pulse_q + 1'b1;
    level_o <= {pulse_q < Ulpi, pulse_q < Links, pulse_q < Links};
    if (!run_q[1]) wait_q <= '0;
    else if (wait_q != '1) wait_q <= wait_q + 1'b1;
    on_o    <= wait_q[Wait];
    ready_o <= wait_q == '1;
  end

endmodule

`default_nettype wire
