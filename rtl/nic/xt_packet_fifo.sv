// SPDX-License-Identifier: Apache-2.0
//
// Store-and-forward of an AXI4-Stream: a FIFO of beats that offers a packet when the FIFO holds the whole packet. Before
// xt_nic_inject a PE that pauses within a packet, even for ever, holds nothing in the network.
//
// A packet is whole with its tlast, or with its beat number PacketBeats. A packet may run on behind that beat. These beats
// are offered as they come, so no packet waits for ever. No header names more cells than PacketBeats. So xt_nic_inject
// sends such a packet without a pause, and discards the rest. Packets that end early pass as they are.
//
// There is room for two longest packets: one comes while another leaves. So a full FIFO holds a whole packet. One that does
// not, after an upset, is emptied.
//
// Latency: 3 cycles from the beat that makes a packet whole to the packet's first beat. One beat per cycle.
// Speed: tready_i enables the adder behind the read pointer, and the sum is the address of the block RAM.
`default_nettype none

module xt_packet_fifo #(
  /// Bits of a beat.
  parameter int Width = 32,
  /// Beats of the longest packet.
  parameter int PacketBeats = 4,
  /// Beats of room.
  localparam int Depth = 2 * PacketBeats
) (
  /// Clock.
  input  logic             clk_i,
  /// Reset, active low, synchronous.
  input  logic             rst_ni,

  /// AXI4-Stream.
  input  logic             tvalid_i,
  /// AXI4-Stream.
  output logic             tready_o,
  /// AXI4-Stream.
  input  logic [Width-1:0] tdata_i,
  /// AXI4-Stream.
  input  logic             tlast_i,

  /// AXI4-Stream, whole packets.
  output logic             tvalid_o,
  /// AXI4-Stream, whole packets.
  input  logic             tready_i,
  /// AXI4-Stream, whole packets.
  output logic [Width-1:0] tdata_o,
  /// AXI4-Stream, whole packets.
  output logic             tlast_o,

  /// A beat comes, or a whole packet waits. A part of a packet moves nothing.
  output logic             active_o
);

  localparam int AddrBits = $clog2(Depth);
  localparam int BeatBits = AddrBits - 1;

  if (PacketBeats < 2 || Depth != (32'd1 << AddrBits)) begin : g_illegal
    xt_packet_fifo_packet_beats_must_be_a_power_of_two_above_1 i_illegal ();
  end

  logic [AddrBits:0]   write_q, whole_q, read_q, read_d;  // positions, one bit more than an address
  logic [BeatBits-1:0] beats_q;  // of the packet that comes, without its last possible one
  logic                put, whole, load;
  logic                there_q;  // a beat of a whole packet is read
  logic [Width:0]      stored;

  assign tready_o = (write_q - read_q) != (AddrBits + 1)'(Depth);
  assign put      = tvalid_i & tready_o;
  assign whole    = tlast_i | (beats_q == '1);
  assign load     = there_q & (~tvalid_o | tready_i);
  assign read_d   = read_q + {{AddrBits{1'b0}}, load};
  assign active_o = tvalid_i | tvalid_o | (whole_q != read_q);

  xt_ram_1r1w #(
    .Width(Width + 1),
    .Depth(Depth)
  ) i_fifo (
    .clk_i,
    .we_i   (put),
    .waddr_i(write_q[AddrBits-1:0]),
    .wdata_i({tlast_i, tdata_i}),
    .raddr_i(read_d[AddrBits-1:0]),
    .rdata_o(stored)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= '0;
      whole_q  <= '0;
      read_q   <= '0;
      beats_q  <= '0;
      there_q  <= 1'b0;
      tvalid_o <= 1'b0;
    end else begin
      if (put) begin
        write_q <= write_q + 1'b1;
        if (whole) whole_q <= write_q + 1'b1;
        if (tlast_i) beats_q <= '0;
        else if (!whole) beats_q <= beats_q + 1'b1;
      end else if (!tready_o && whole_q == read_q) begin
        write_q <= read_q;
      end
      read_q  <= read_d;
      // Beats written before this cycle can be read in this cycle.
      there_q <= whole_q != read_d;
      if (load) tvalid_o <= 1'b1;
      else if (tready_i) tvalid_o <= 1'b0;
    end
    if (load) {tlast_o, tdata_o} <= stored;
  end

endmodule

`default_nettype wire
