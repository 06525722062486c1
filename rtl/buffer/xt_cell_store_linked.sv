// SPDX-License-Identifier: Apache-2.0
//
// Cell store of xt_voq_buffer with linked cells: a cell lies anywhere in the memory. `chain` links the cells of a
// packet, and is written once per cell and read once. A packet's address is that of its first cell.
// xt_cell_store_slotted is the variant for devices with large block RAMs.
//
// The first cell of a packet can be read in the cycle after its write, any other cell two cycles after. The reader
// asks for the first cell, then for one cell after the other. If the next cell has not arrived, the reader waits.
// Counts of arrived and read cells decide this, because the address from `chain` comes late.
//
// Latency: cell_o two cycles after the request. A register holds its address, as the memory of the cells may be far away.
// Speed: `chain` clock-to-out, two multiplexers, address of the next read.
`default_nettype none

module xt_cell_store_linked #(
  /// Bits of a cell.
  parameter int CellBits = 32,
  /// Number of cells; a power of two.
  parameter int Cells = 16,
  /// Bits of a packet's number of cells, less one.
  parameter int LenBits = 4,
  /// Bits of a cell address.
  localparam int AddrBits = $clog2(Cells)
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,
  /// Initialisation: cell init_addr_i is free; must run through all of them.
  input  logic                init_i,
  /// Initialisation: the cell.
  input  logic [AddrBits-1:0] init_addr_i,

  /// A cell arrives.
  input  logic                write_i,
  /// The written cell is the first of its packet.
  input  logic                write_head_i,
  /// The written cell is the last of its packet.
  input  logic                write_last_i,
  /// The cell.
  input  logic [CellBits-1:0] write_cell_i,
  /// A cell was written in the last cycle.
  output logic                written_o,
  /// Address of the written cell: the packet's address if the cell was the first.
  output logic [AddrBits-1:0] written_addr_o,

  /// Address of the packet whose first cell is read, while choose_i.
  input  logic [AddrBits-1:0] packet_i,
  /// packet_i is an address; nothing else is asked for.
  input  logic                choose_i,
  /// Read the first cell of the packet; with choose_i.
  input  logic                first_i,
  /// Read the next cell.
  input  logic                more_i,
  /// packet_i is the packet that arrives, should one; with first_i.
  input  logic                first_arrives_i,
  /// A packet has begun to arrive and is not complete.
  output logic                arriving_o,
  /// Address of the arriving packet.
  output logic [AddrBits-1:0] arriving_addr_o,
  /// The next cell has not arrived: the reader repeats its request.
  output logic                wait_o,
  /// In the next cycle, the packet of a further cell may be incomplete.
  output logic                open_further_o,
  /// The cell.
  output logic [CellBits-1:0] cell_o,
  /// Number of free cells.
  output logic [  AddrBits:0] free_o
);

  logic [AddrBits-1:0] alloc;  // where the next cell goes
  logic [AddrBits-1:0] alloc_q;  // the same, one cycle ago
  logic                written_q;  // a cell was written in the last cycle, at alloc_q
  logic [ LenBits-1:0] place_q, place_qq;  // place in its packet of the next cell to arrive; one cycle ago
  logic [ LenBits-1:0] read_place_q;  // place of the next cell to read
  logic                arriving_q;  // a packet has begun to arrive and is not complete
  logic [AddrBits-1:0] arriving_addr_q;  // address of the packet's first cell
  logic                closed_q;  // a packet was completed in the last cycle
  logic                open_q, open_d;  // the packet under read may be incomplete
  logic                held_q;  // the chain waits at held_addr_q
  logic [AddrBits-1:0] held_addr_q, addr, chain_next, further;
  logic                release_q;  // a cell was asked for in the last cycle
  logic [AddrBits-1:0] release_addr_q;  // its address
  logic                read;

  xt_free_list #(
    .Cells(Cells)
  ) i_free_list (
    .clk_i,
    .rst_ni,
    .init_i,
    .init_addr_i,
    .take_i     (write_i),
    .addr_o     (alloc),
    .give_i     (release_q),
    .give_addr_i(release_addr_q),
    .count_o    (free_o)
  );

  xt_ram_1r1w #(
    .Width(AddrBits),
    .Depth(Cells)
  ) i_chain (
    .clk_i,
    .we_i   (written_q),
    .waddr_i(alloc_q),
    .wdata_i(alloc),
    .raddr_i(addr),
    .rdata_o(chain_next)
  );

  xt_ram_1r1w #(
    .Width(CellBits),
    .Depth(Cells)
  ) i_cells (
    .clk_i,
    .we_i   (write_i),
    .waddr_i(alloc),
    .wdata_i(write_cell_i),
    .raddr_i(release_addr_q),
    .rdata_o(cell_o)
  );

  assign further = held_q ? held_addr_q : chain_next;
  assign addr    = choose_i ? packet_i : further;
  // The cell that arrives next, or arrived in the last cycle, cannot be read yet: its data or its chain is missing.
  assign wait_o         = more_i && open_q && (read_place_q == place_qq);
  assign read           = first_i | (more_i & ~wait_o);
  assign open_further_o = open_q & ~closed_q;
  assign open_d         = first_i ? arriving_q & first_arrives_i : open_further_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q    <= '0;
      written_q  <= 1'b0;
      arriving_q <= 1'b0;
      closed_q   <= 1'b0;
      open_q     <= 1'b0;
      held_q     <= 1'b0;
      release_q  <= 1'b0;
    end else begin
      if (write_i) place_q <= write_last_i ? '0 : place_q + 1'b1;
      written_q <= write_i;
      closed_q  <= write_i & write_last_i;
      if (write_i) arriving_q <= ~write_last_i;
      open_q    <= open_d;
      held_q    <= wait_o;
      release_q <= read;
    end
    alloc_q  <= alloc;
    place_qq <= place_q;
    if (first_i) read_place_q <= LenBits'(1);
    else if (read) read_place_q <= read_place_q + 1'b1;
    if (write_i && write_head_i) arriving_addr_q <= alloc;
    if (wait_o) held_addr_q <= further;
    if (read) release_addr_q <= addr;
  end

  assign written_o      = written_q;
  assign written_addr_o = alloc_q;

  assign arriving_o      = arriving_q;
  assign arriving_addr_o = arriving_addr_q;

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      cells_are_read_before_their_next_write : assert (!(write_i && release_q && alloc == release_addr_q));
      cells_first_or_further : assert (!(choose_i && more_i));
      cells_wait_for_the_cell_that_arrives : assert (!(more_i && open_q) || wait_o == (further == alloc_q));
    end
  end
`endif

endmodule

`default_nettype wire
