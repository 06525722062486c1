// SPDX-License-Identifier: Apache-2.0
//
// Memory with one write port and one synchronous read port: a block RAM.
//
// Latency: read data one cycle after the address. A read of a word in the cycle of its write is undefined. Callers
// never use such a value, so no target spends logic on a bypass.
// Speed: the clock-to-output of the block RAM starts most paths of the switch.
`default_nettype none

module xt_ram_1r1w #(
  /// Bits of a word.
  parameter int Width = 8,
  /// Number of words.
  parameter int Depth = 16,
  /// In simulation a word that was never written is 0: for words that are sent whether somebody looks or not.
  parameter bit Known = 1'b0,
  /// Bits of an address.
  localparam int AddrBits = (Depth > 1) ? $clog2(Depth) : 1
) (
  /// Clock.
  input  logic                clk_i,
  /// Write this cycle.
  input  logic                we_i,
  /// Word to write.
  input  logic [AddrBits-1:0] waddr_i,
  /// Value to write.
  input  logic [   Width-1:0] wdata_i,
  /// Word to read.
  input  logic [AddrBits-1:0] raddr_i,
  /// Value of the word addressed in the previous cycle.
  output logic [   Width-1:0] rdata_o
);

  if (Width < 1 || Depth < 1) begin : g_illegal
    xt_ram_1r1w_has_a_word_of_a_bit_at_least i_illegal ();
  end

  // That a read of the word under write is undefined, simulators and yosys learn from 'x, Quartus from the attribute. Other
  // tools take a memory with 'x for registers.
`ifdef YOSYS
  localparam bit Undefined = 1'b1;
`elsif XT_SYNTHESIS
  localparam bit Undefined = 1'b0;
`else
  localparam bit Undefined = 1'b1;
`endif
  (* ramstyle = "no_rw_check" *)
  logic [Width-1:0] mem [Depth];

`ifndef XT_SYNTHESIS
  if (Known) begin : g_known
    initial for (int i = 0; i < Depth; i++) mem[i] = '0;
  end
`endif

  // No always_ff, since nothing else may write what it writes.
  always @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    rdata_o <= mem[raddr_i];
    if (Undefined && we_i && waddr_i == raddr_i) rdata_o <= 'x;
  end

endmodule

`default_nettype wire
