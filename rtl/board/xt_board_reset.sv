// SPDX-License-Identifier: Apache-2.0
//
// Reset of a board: active for some cycles after the clock starts, and after the release of the button. The reset begins
// at once, although the clock may rest, and ends by the clock.
//
// Speed: a counter.
`default_nettype none

module xt_board_reset #(
  /// Cycles, a power of two.
  parameter int Cycles = 1024,
  /// Bits of their number.
  localparam int CountBits = $clog2(Cycles)
) (
  /// Clock.
  input  logic clk_i,
  /// The clock runs and the button is not pressed; asynchronous.
  input  logic run_i,
  /// Reset, active low, asynchronous on, synchronous off.
  output logic rst_no
);

  if (Cycles < 2 || Cycles != (32'd1 << CountBits)) begin : g_illegal
    xt_board_reset_cycles_must_be_a_power_of_two_above_1 i_illegal ();
  end

  // Initial values in the FPGA's bitstream.
  logic [1:0] run_q = '0;  // through two registers
  logic [CountBits-1:0] count_q = '0;
  logic rst_nq = 1'b0;

  assign rst_no = rst_nq;

  always_ff @(posedge clk_i or negedge run_i) begin
    if (!run_i) begin
      run_q  <= '0;
      rst_nq <= 1'b0;
    end else begin
      run_q  <= {run_q[0], 1'b1};
      rst_nq <= run_q[1] && count_q == '1;
    end
  end
  always_ff @(posedge clk_i) count_q <= !run_q[1] ? '0 : (count_q == '1) ? count_q : count_q + 1'b1;

endmodule

`default_nettype wire
