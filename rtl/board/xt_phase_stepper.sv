// SPDX-License-Identifier: Apache-2.0
//
// Moves the phase of a PLL's output, one step after the other, until the phase is where a register wants it. The direction
// stands still around each pulse, and the PLL steps at the pulse's end.
//
// The phase outlives a reset of the board, and so does its position here: only the PLL's start makes it 0.
//
// Latency: 16 cycles for each step.
// Speed: a comparison of eight bits.
`default_nettype none

module xt_phase_stepper (
  /// Clock.
  input  logic       clk_i,
  /// The PLL's clocks are stable; asynchronous.
  input  logic       locked_i,
  /// Where the phase is to be: steps from that after the PLL's start, with a sign.
  input  logic [7:0] target_i,
  /// Where the phase is.
  output logic [7:0] at_o,
  /// To the PLL: a step at the pulse's end.
  output logic       step_o,
  /// To the PLL: the step makes the phase earlier.
  output logic       back_o
);

  logic rst_n;
  logic step_q = 1'b0;  // in the FPGA's bitstream: the PLL must see no step before the first reset
  logic [7:0] target_q;
  logic [3:0] cycle_q;  // of a step

  assign step_o = step_q;

  xt_board_reset i_reset (
    .clk_i,
    .run_i (locked_i),
    .rst_no(rst_n)
  );

  always_ff @(posedge clk_i) begin
    target_q <= target_i;
    if (!rst_n) begin
      at_o    <= '0;
      cycle_q <= '0;
      step_q  <= 1'b0;
      back_o  <= 1'b0;
    end else begin
      if (cycle_q == '0) begin
        back_o <= $signed(target_q) < $signed(at_o);
        if (target_q != at_o) cycle_q <= 4'd1;
      end else begin
        cycle_q <= cycle_q + 1'b1;
      end
      step_q <= cycle_q[3:2] == 2'b01;
      if (cycle_q == 4'd8) at_o <= back_o ? at_o - 1'b1 : at_o + 1'b1;
    end
  end

endmodule

`default_nettype wire
