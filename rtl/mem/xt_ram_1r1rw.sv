// SPDX-License-Identifier: Apache-2.0
//
// Memory with one synchronous read port and one synchronous port that reads or writes: a true
// dual-port block RAM. The switch reads its routing tables at port A in every cycle. Software
// reads and writes the tables at port B, so a table access never disturbs traffic.
//
// Port B's word is zero, by the memory's own reset, after a cycle without read and write. So an OR joins the
// words of many memories of which one is read.
//
// Latency: read data one cycle after the address, on both ports. A read at port A of the word that port B
// writes in the same cycle is undefined. So every target needs the memory alone. Software rewrites the route of a
// destination only while no packet goes there.
// Speed: the clock-to-output of the block RAM.
`default_nettype none

module xt_ram_1r1rw #(
  /// Bits of a word.
  parameter int Width = 8,
  /// Number of words.
  parameter int Depth = 16,
  /// Bits of an address.
  localparam int AddrBits = (Depth > 1) ? $clog2(Depth) : 1
) (
  /// Clock.
  input  logic                clk_i,
  /// Port A: word to read.
  input  logic [AddrBits-1:0] a_addr_i,
  /// Port A: value of the word addressed in the previous cycle.
  output logic [   Width-1:0] a_rdata_o,
  /// Port B: write this cycle.
  input  logic                b_we_i,
  /// Port B: read, unless the port writes.
  input  logic                b_read_i,
  /// Port B: word to read or write.
  input  logic [AddrBits-1:0] b_addr_i,
  /// Port B: value to write.
  input  logic [   Width-1:0] b_wdata_i,
  /// Port B: value of the word read in the previous cycle; zero if there was neither read nor write.
  output logic [   Width-1:0] b_rdata_o
);

  if (Width < 1 || Depth < 1) begin : g_illegal
    xt_ram_1r1rw_has_a_word_of_a_bit_at_least i_illegal ();
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

  always_ff @(posedge clk_i) begin
    a_rdata_o <= mem[a_addr_i];
    if (Undefined && b_we_i && b_addr_i == a_addr_i) a_rdata_o <= 'x;
  end

  always_ff @(posedge clk_i) begin
    if (b_we_i) mem[b_addr_i] <= b_wdata_i;
    else if (b_read_i) b_rdata_o <= mem[b_addr_i];
    else b_rdata_o <= '0;
  end

endmodule

`default_nettype wire
