// SPDX-License-Identifier: Apache-2.0
//
// From the switch to the PE's AXI4-Stream: a FIFO of EjectCells cells, one beat per cell, tlast on the
// last cell of a packet. A cell is credited back when the PE takes the cell. A packet whose end was lost, or
// that its sender ended elsewhere than the header says, comes with its full length and with tuser on its last beat.
// Its content then differs from the sent packet.
//
// Latency: 2 cycles from the switch's output pin to the beat. One cell per cycle.
// Speed: the read address is a pointer plus one, chosen by tready. With more than five ports a register behind the crossbar ends
// the way of a cell over the card.
`default_nettype none

module xt_nic_eject (
  /// Clock.
  input  logic                        clk_i,
  /// Reset, active low, synchronous.
  input  logic                        rst_ni,

  /// A cell comes from the switch.
  input  logic                        valid_i,
  /// The cell.
  input  logic [xt_pkg::CellBits-1:0] cell_i,
  /// The cell stands for a lost one.
  input  logic                        poison_i,
  /// A cell was taken.
  output logic                        credit_o,

  /// AXI4-Stream.
  output logic                        tvalid_o,
  /// AXI4-Stream.
  input  logic                        tready_i,
  /// AXI4-Stream.
  output logic [xt_pkg::CellBits-1:0] tdata_o,
  /// AXI4-Stream.
  output logic                        tlast_o,
  /// AXI4-Stream: with tlast, the packet is incomplete.
  output logic                        tuser_o,

  /// A complete packet was taken in the last cycle.
  output logic                        delivered_o,
  /// An incomplete packet was taken in the last cycle.
  output logic                        poisoned_o,
  /// Low bits of the packet's header, zero extended.
  output logic [                63:0] header_o,
  /// Time stamp of the packet; 0 where headers have none.
  output logic [                15:0] stamp_o,

  /// Something is in flight inside.
  output logic                        active_o
);

  localparam int AddrBits = $clog2(xt_pkg::EjectCells);
  // In a large card a cell has its cycle for the way from the memory of an input over the card.
  localparam bit Crosses = xt_pkg::Ports > 5;

  if (xt_pkg::EjectCells != (32'd1 << AddrBits)) begin : g_illegal
    xt_nic_eject_cells_must_be_a_power_of_two i_illegal ();
  end

  logic [         AddrBits:0] write_q, read_q, read_d;  // one bit more than an address
  logic                       take, in_packet_q;
  logic [xt_pkg::LenBits-1:0] left_q, header_len;

  assign take   = tvalid_o & tready_i;
  assign read_d = read_q + {{AddrBits{1'b0}}, take};

  // Without a link layer nothing is lost.
  localparam int StoredBits = xt_pkg::CellBits + xt_pkg::HasLinkLayer;
  logic                  poison;
  logic [StoredBits-1:0] word, read, stored;
  logic                  write;
  logic [  AddrBits-1:0] place;

  if (Crosses) begin : g_crosses
    // The register behind the crossbar, and its cell if that is read while it goes into the memory.
    logic                  valid_q, passes_q;
    logic [StoredBits-1:0] word_q, passed_q;
    logic [  AddrBits-1:0] place_q;

    always_ff @(posedge clk_i) begin
      valid_q  <= rst_ni & valid_i;
      passes_q <= valid_q && place_q == read_d[AddrBits-1:0];
      word_q   <= StoredBits'({poison_i, cell_i});
      passed_q <= word_q;
      place_q  <= write_q[AddrBits-1:0];
    end
    assign write  = valid_q;
    assign place  = place_q;
    assign word   = word_q;
    assign stored = passes_q ? passed_q : read;
  end else begin : g_near
    assign write  = valid_i;
    assign place  = write_q[AddrBits-1:0];
    assign word   = StoredBits'({poison_i, cell_i});
    assign stored = read;
  end

  xt_ram_1r1w #(
    .Width(StoredBits),
    .Depth(xt_pkg::EjectCells)
  ) i_fifo (
    .clk_i,
    .we_i   (write),
    .waddr_i(place),
    .wdata_i(word),
    .raddr_i(read_d[AddrBits-1:0]),
    .rdata_o(read)
  );
  assign tdata_o = stored[xt_pkg::CellBits-1:0];
  assign poison  = xt_pkg::HasLinkLayer != 0 && stored[StoredBits-1];

  assign header_len = tdata_o[xt_pkg::HdrLenLsb+:xt_pkg::LenBits];
  assign tlast_o    = in_packet_q ? (left_q == xt_pkg::LenBits'(1)) : (header_len == '0);
  assign tuser_o    = tlast_o & poison;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      tvalid_o    <= 1'b0;
      credit_o    <= 1'b0;
      in_packet_q <= 1'b0;
      delivered_o <= 1'b0;
      poisoned_o  <= 1'b0;
    end else begin
      if (valid_i) write_q <= write_q + 1'b1;
      read_q   <= read_d;
      // Cells written before this cycle can be shown in the next.
      tvalid_o <= write_q != read_d;
      credit_o <= take;
      if (take) in_packet_q <= ~tlast_o;
      delivered_o <= take & tlast_o & ~poison;
      poisoned_o  <= take & tlast_o & poison;
    end
    if (take) left_q <= in_packet_q ? left_q - 1'b1 : header_len;
  end

  // Header of the packet under way to the PE.
  localparam int HeaderBits = (xt_pkg::CellBits < 64) ? xt_pkg::CellBits : 64;
  logic [HeaderBits-1:0] header_q;

  always_ff @(posedge clk_i) begin
    if (take && !in_packet_q) header_q <= tdata_o[HeaderBits-1:0];
  end
  assign header_o = 64'(header_q);

  if (xt_pkg::StampBits != 0) begin : g_stamp
    logic [xt_pkg::StampBits-1:0] stamp_q;
    always_ff @(posedge clk_i) begin
      if (take && !in_packet_q) stamp_q <= tdata_o[xt_pkg::HdrStampLsb+:xt_pkg::StampBits];
    end
    assign stamp_o = 16'(stamp_q);
  end else begin : g_no_stamp
    assign stamp_o = '0;
  end

  assign active_o = valid_i | tvalid_o | credit_o | delivered_o | poisoned_o | (write_q != read_q);

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      nic_eject_never_overflows :
      assert (!valid_i || (write_q - read_q) != xt_pkg::EjectCells[AddrBits:0]);
    end
  end
`endif

endmodule

`default_nettype wire
