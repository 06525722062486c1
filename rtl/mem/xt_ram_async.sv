// SPDX-License-Identifier: Apache-2.0
//
// Memory with one write port and two asynchronous read ports: distributed RAM, one copy per read port.
// The memory holds queue state that is too large for registers.
//
// Latency: reads are combinational; a word written in a cycle is read from the next cycle on.
// Speed: a LUT RAM and, above 16 words, a multiplexer.
`default_nettype none

module xt_ram_async #(
  /// Bits of a word.
  parameter int Width = 8,
  /// Number of words.
  parameter int Depth = 16,
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
  /// First read port: word to read.
  input  logic [AddrBits-1:0] raddr_a_i,
  /// First read port: value.
  output logic [   Width-1:0] rdata_a_o,
  /// Second read port: word to read.
  input  logic [AddrBits-1:0] raddr_b_i,
  /// Second read port: value.
  output logic [   Width-1:0] rdata_b_o
);

  if (Width < 1 || Depth < 1) begin : g_illegal
    xt_ram_async_has_a_word_of_a_bit_at_least i_illegal ();
  end

  // Force LUT RAM where the device has LUT RAM: yosys would merge a registered address into a block RAM, whose
  // clock-to-output is much longer. The attributes are of yosys and Vivado, of Quartus, and of Lattice's tools.
`ifdef XT_LUT_RAM
  (* ram_style = "distributed", ramstyle = "MLAB, no_rw_check", syn_ramstyle = "distributed" *)
`endif
  logic [Width-1:0] mem [Depth];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata_a_o = mem[raddr_a_i];
  assign rdata_b_o = mem[raddr_b_i];

endmodule

`default_nettype wire
