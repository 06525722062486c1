// SPDX-License-Identifier: Apache-2.0
//
// Memory with one write port and asynchronous read ports: distributed RAM, one copy per read port.
// The memory holds counts that are too many for registers.
//
// Latency: reads are combinational; a word written in a cycle is read from the next cycle on.
// Speed: a LUT RAM and, above 16 words, a multiplexer.
`default_nettype none

module xt_ram_async #(
  /// Bits of a word.
  parameter int Width = 8,
  /// Number of words.
  parameter int Depth = 16,
  /// Number of read ports.
  parameter int Reads = 2,
  /// Bits of an address.
  localparam int AddrBits = (Depth > 1) ? $clog2(Depth) : 1
) (
  /// Clock.
  input  logic                      clk_i,
  /// Write this cycle.
  input  logic                      we_i,
  /// Word to write.
  input  logic [      AddrBits-1:0] waddr_i,
  /// Value to write.
  input  logic [         Width-1:0] wdata_i,
  /// Per read port: word to read.
  input  logic [Reads*AddrBits-1:0] raddr_i,
  /// Per read port: value.
  output logic [   Reads*Width-1:0] rdata_o
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

  // No always_ff, since nothing else may write what it writes.
  always @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  for (genvar r = 0; r < Reads; r++) begin : g_read
    assign rdata_o[r*Width+:Width] = mem[raddr_i[r*AddrBits+:AddrBits]];
  end

`ifndef XT_SYNTHESIS
  // Hardware starts with any values; a simulator would start with unknown ones.
  initial begin
    for (int a = 0; a < Depth; a++) mem[a] = '0;
  end
`endif

endmodule

`default_nettype wire
