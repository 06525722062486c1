// SPDX-License-Identifier: Apache-2.0
//
// The most cells that a buffer has held.
//
// Latency: 2 cycles from a change of free_i.
// Speed: a comparison.
`default_nettype none

module xt_high_water #(
  /// Cells of the buffer.
  parameter int Cells = 16,
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(Cells) + 1
) (
  /// Clock.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,
  /// Begin anew with what it holds now.
  input  logic                 clear_i,
  /// Free cells of the buffer; ignored while init_i.
  input  logic [CountBits-1:0] free_i,
  /// The buffer is being initialised.
  input  logic                 init_i,
  /// The mark.
  output logic [CountBits-1:0] high_water_o
);

  logic [CountBits-1:0] used_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || init_i) begin
      used_q       <= '0;
      high_water_o <= '0;
    end else begin
      used_q <= CountBits'(Cells) - free_i;
      if (clear_i || used_q > high_water_o) high_water_o <= used_q;
    end
  end

endmodule

`default_nettype wire
