// SPDX-License-Identifier: Apache-2.0
//
// High-water mark of a buffer, kept as the fewest free cells since the last clear. Storing free cells spares each
// buffer a subtraction.
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
  /// Restart with the present number of free cells.
  input  logic                 clear_i,
  /// Free cells of the buffer; ignored while init_i.
  input  logic [CountBits-1:0] free_i,
  /// The buffer is being initialised.
  input  logic                 init_i,
  /// The fewest.
  output logic [CountBits-1:0] least_free_o
);

  logic [CountBits-1:0] free_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || init_i) begin
      free_q       <= CountBits'(Cells);
      least_free_o <= CountBits'(Cells);
    end else begin
      free_q <= free_i;
      if (clear_i || free_q < least_free_o) least_free_o <= free_q;
    end
  end

endmodule

`default_nettype wire
