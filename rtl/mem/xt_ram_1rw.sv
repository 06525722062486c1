// SPDX-License-Identifier: Apache-2.0
//
// Memory with one synchronous port that reads a word and may write the same word: a block RAM. The read returns the
// old word.
//
// Latency: read data one cycle after the address; a word written in a cycle is read from the next cycle on.
// Speed: the clock-to-output of the block RAM.
`default_nettype none

module xt_ram_1rw #(
  /// Bits of a word.
  parameter int Width = 8,
  /// Number of words.
  parameter int Depth = 16,
  /// Bits of an address.
  localparam int AddrBits = (Depth > 1) ? $clog2(Depth) : 1
) (
  /// Clock.
  input  logic                clk_i,
  /// Word to read, and to write.
  input  logic [AddrBits-1:0] addr_i,
  /// Write this cycle.
  input  logic                we_i,
  /// Value to write.
  input  logic [   Width-1:0] wdata_i,
  /// Value that the word addressed in the previous cycle had before that cycle.
  output logic [   Width-1:0] rdata_o
);

  if (Width < 1 || Depth < 1) begin : g_illegal
    xt_ram_1rw_has_a_word_of_a_bit_at_least i_illegal ();
  end

  logic [Width-1:0] mem [Depth];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[addr_i] <= wdata_i;
    rdata_o <= mem[addr_i];
  end

endmodule

`default_nettype wire
