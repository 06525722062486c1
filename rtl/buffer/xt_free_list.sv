// SPDX-License-Identifier: Apache-2.0
//
// Free list of one input buffer: a FIFO of cell addresses in a block RAM, filled with every address
// once after reset. The head of the FIFO is shown ahead, so a cell can be taken in every cycle.
//
// Latency: an address given back can be taken two cycles later. Two cycles are always soon enough: a cell arrives only
// against a credit, and the credit leaves when the address is given back. Credit and cell together travel for
// more than two cycles.
// Speed: the block RAM's address is its own pointer plus one, chosen by take_i.
//
// Invariant: an address is either in the FIFO or in use, never both. tests/rtl/proofs checks the invariant through the
// buffer, for a bounded number of cycles. A cell given twice would alter a packet.
`default_nettype none

module xt_free_list #(
  /// Number of cells; a power of two.
  parameter int Cells = 16,
  /// Bits of a cell address.
  localparam int AddrBits = $clog2(Cells)
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,
  /// Initialisation: put init_addr_i into the list; each address must be given once.
  input  logic                init_i,
  /// Initialisation: the address.
  input  logic [AddrBits-1:0] init_addr_i,
  /// Take the cell at addr_o.
  input  logic                take_i,
  /// The next free cell; meaningful while a cell may legally be taken.
  output logic [AddrBits-1:0] addr_o,
  /// Give a cell back.
  input  logic                give_i,
  /// Address of the cell given back.
  input  logic [AddrBits-1:0] give_addr_i,
  /// Number of free cells.
  output logic [  AddrBits:0] count_o
);

  logic [AddrBits-1:0] read_q, read_d, write_q;
  logic [  AddrBits:0] count_q;
  logic                put;

  assign put     = init_i | give_i;
  assign read_d  = read_q + {{AddrBits - 1{1'b0}}, take_i};
  assign count_o = count_q;

  xt_ram_1r1w #(
    .Width(AddrBits),
    .Depth(Cells)
  ) i_fifo (
    .clk_i,
    .we_i   (put),
    .waddr_i(write_q),
    .wdata_i(init_i ? init_addr_i : give_addr_i),
    .raddr_i(read_d),
    .rdata_o(addr_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= Cells[AddrBits:0];  // as many as initialisation puts in
    end else begin
      read_q <= read_d;
      if (put) write_q <= write_q + 1'b1;
      if (give_i && !take_i) count_q <= count_q + 1'b1;
      else if (!give_i && take_i) count_q <= count_q - 1'b1;
    end
  end

`ifdef XT_ASSERT
  logic put_q;
  always_ff @(posedge clk_i) begin
    put_q <= rst_ni & put;
    if (rst_ni) begin
      free_list_takes_what_is_shown : assert (!(take_i && put_q && write_q == read_q + 1'b1));
      free_list_never_empty_on_take : assert (!(take_i && count_q == '0));
      free_list_never_overfull : assert (!(give_i && !take_i && count_q == Cells[AddrBits:0]));
    end
  end
`endif

endmodule

`default_nettype wire
