// SPDX-License-Identifier: Apache-2.0
//
// Variant of xt_cell_store_linked, cycle for cycle, for devices whose smallest block RAM is larger than a buffer.
// Each packet has a slot for the longest packet, so its cells are in consecutive words and need no chain. There are as
// many slots as cells, and each packet in the buffer, even in part, owes a credit. So every packet that had a credit
// has a slot. The address of a packet is its slot.
//
// The memory is read in the cycle after the request, so a register holds the address and none holds the cell. The slot is
// given back while its last cell is read, and taken two cycles later at the earliest.
//
// Latency: cell_o two cycles after the request.
// Speed: from the registers of the address, a step of its place.
`default_nettype none

module xt_cell_store_slotted #(
  /// Bits of a cell.
  parameter int CellBits = 32,
  /// Number of cells, and of slots; a power of two.
  parameter int Cells = 16,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Bits of a slot number.
  localparam int AddrBits = $clog2(Cells)
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,
  /// Initialisation: slot init_addr_i is free; must run through all of them.
  input  logic                init_i,
  /// Initialisation: the slot.
  input  logic [AddrBits-1:0] init_addr_i,

  /// A cell arrives.
  input  logic                write_i,
  /// The written cell is the last of its packet.
  input  logic                write_last_i,
  /// The cell.
  input  logic [CellBits-1:0] write_cell_i,
  /// A cell was written in the last cycle.
  output logic                written_o,
  /// Slot of the cell's packet.
  output logic [AddrBits-1:0] written_addr_o,

  /// Slot of the packet whose first cell is read.
  input  logic [AddrBits-1:0] packet_i,
  /// Read the first cell of the packet.
  input  logic                first_i,
  /// Read the next cell.
  input  logic                more_i,
  /// packet_i is the packet that arrives, should one; with first_i.
  input  logic                first_arrives_i,
  /// A packet has begun to arrive and is not complete.
  output logic                arriving_o,
  /// Slot of the arriving packet.
  output logic [AddrBits-1:0] arriving_addr_o,
  /// The cell under read is the last of its packet.
  input  logic                last_i,
  /// The next cell has not arrived: the reader repeats its request.
  output logic                wait_o,
  /// In the next cycle, the packet of a further cell may be incomplete.
  output logic                open_further_o,
  /// The cell.
  output logic [CellBits-1:0] cell_o,
  /// Number of free cells.
  output logic [  AddrBits:0] free_o
);

  logic [AddrBits-1:0] slot, slot_q;  // slot of the arriving packet; one cycle ago
  logic [ LenBits-1:0] place_q, place_qq;  // place of the next cell in the arriving packet; one cycle ago
  logic                written_q, closed_q;
  logic                open_q, open_d;  // the packet under read may be incomplete
  logic [AddrBits-1:0] read_slot_q;
  logic [ LenBits-1:0] read_place_q;
  logic                read, release_q, release_slot_q;
  logic [  AddrBits:0] free_q;

  // The slot is shown until its packet is complete, and taken then.
  // verilator lint_off UNUSEDSIGNAL
  logic [  AddrBits:0] free_slots;
  // verilator lint_on UNUSEDSIGNAL
  xt_free_list #(
    .Cells(Cells)
  ) i_free_list (
    .clk_i,
    .rst_ni,
    .init_i,
    .init_addr_i,
    .take_i     (write_i & write_last_i),
    .addr_o     (slot),
    .give_i     (release_slot_q),
    .give_addr_i(read_slot_q),
    .count_o    (free_slots)
  );

  xt_ram_1r1w #(
    .Width(CellBits),
    .Depth(Cells << LenBits)
  ) i_cells (
    .clk_i,
    .we_i   (write_i),
    .waddr_i({slot, place_q}),
    .wdata_i(write_cell_i),
    .raddr_i({read_slot_q, read_place_q - 1'b1}),  // the place that was asked for in the last cycle
    .rdata_o(cell_o)
  );

  // A cell written in the last cycle waits as long as in xt_cell_store_linked.
  assign wait_o         = more_i && open_q && (read_place_q == place_qq);
  assign read           = first_i | (more_i & ~wait_o);
  assign open_further_o = open_q & ~closed_q;
  assign open_d         = first_i ? arriving_o & first_arrives_i : open_further_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q        <= '0;
      written_q      <= 1'b0;
      closed_q       <= 1'b0;
      open_q         <= 1'b0;
      release_q      <= 1'b0;
      release_slot_q <= 1'b0;
      free_q         <= '0;
    end else begin
      if (write_i) place_q <= write_last_i ? '0 : place_q + 1'b1;
      written_q      <= write_i;
      closed_q       <= write_i & write_last_i;
      open_q         <= open_d;
      release_q      <= read;
      release_slot_q <= read & last_i;
      if ((init_i || release_q) && !write_i) free_q <= free_q + 1'b1;
      else if (!(init_i || release_q) && write_i) free_q <= free_q - 1'b1;
    end
    slot_q   <= slot;
    place_qq <= place_q;
    if (first_i) begin
      read_slot_q  <= packet_i;
      read_place_q <= LenBits'(1);
    end else if (read) begin
      read_place_q <= read_place_q + 1'b1;
    end
  end

  assign written_o      = written_q;
  assign written_addr_o = slot_q;

  assign arriving_o      = place_q != '0;
  assign arriving_addr_o = slot;
  assign free_o         = free_q;

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      cells_have_a_slot : assert (!(write_i && free_slots == '0));
      cells_never_overfull : assert (!(write_i && !release_q && free_q == '0));
    end
  end
`endif

endmodule

`default_nettype wire
