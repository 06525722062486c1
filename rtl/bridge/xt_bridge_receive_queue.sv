// SPDX-License-Identifier: Apache-2.0
//
// Packets from one NIC port to the host: a ring of words. Before each packet a word holds the number of words and the
// mark of an incomplete packet. A position counts the words since reset, modulo 65536. In order:
//
//   acknowledged   words before this position may be overwritten
//   sent           the next packet to send
//   written        after the last whole packet
//
// Packets before the limit may be sent. Sent packets stay until they are acknowledged, and can be sent again. A full
// ring takes no more cells from the card.
//
// An upset of a position may leave no room for ever. A session that finds the positions in no order begins with an empty
// ring: its packets are lost.
//
// Latency: 2 cycles from a packet's end to available_o. A cell takes CellWords + 1 cycles; each packet takes one more.
// Speed: a 16-bit subtraction and a comparison with Depth; for reads the sum of position and offset.
`default_nettype none

module xt_bridge_receive_queue #(
  /// Words of the ring.
  parameter int Depth = 1024,
  /// Words of a cell.
  parameter int CellWords = 1,
  /// Bits of a cell.
  parameter int CellBits = 32,
  /// Bits of an address.
  localparam int AddrBits = $clog2(Depth)
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,

  /// AXI4-Stream.
  input  logic                tvalid_i,
  /// AXI4-Stream.
  output logic                tready_o,
  /// AXI4-Stream.
  input  logic [CellBits-1:0] tdata_i,
  /// AXI4-Stream.
  input  logic                tlast_i,
  /// AXI4-Stream: with tlast, the packet is incomplete.
  input  logic                tuser_i,

  /// A session begins: no packet may be sent, and unacknowledged packets count as not sent.
  input  logic                sync_i,
  /// The host acknowledges and allows. Not while a packet of this queue is being sent.
  input  logic                receive_i,
  /// Position acknowledged by the host.
  input  logic [        15:0] position_i,
  /// Position before which packets may be sent.
  input  logic [        15:0] limit_i,
  /// Resend from position_i on.
  input  logic                rewind_i,

  /// The next packet may be sent.
  output logic                available_o,
  /// A packet waits, but may not be sent yet.
  output logic                waiting_o,
  /// Word to read, counted from the next packet.
  input  logic [        15:0] offset_i,
  /// The word addressed in the previous cycle. Word 0: bits 15:0 are the number of those that follow, bit 16: incomplete.
  output logic [        31:0] word_o,
  /// The packet is sent.
  input  logic                sent_i,
  /// Words of it, with word 0.
  input  logic [        15:0] length_i,

  /// Acknowledged position.
  output logic [        15:0] acknowledged_o,
  /// Position of the next packet to send.
  output logic [        15:0] next_o,
  /// Position after the last whole packet.
  output logic [        15:0] written_o
);

  localparam int PhaseBits = (CellWords > 1) ? $clog2(CellWords) : 1;

  if (Depth != (32'd1 << AddrBits) || Depth > 16384) begin : g_illegal
    xt_bridge_receive_queue_depth_must_be_a_power_of_two_up_to_16384 i_illegal ();
  end

  // ---------------------------------------------------------------- from the card
  logic [15:0] write_q;  // position of the next word
  logic        held_q, last_q, poison_q;  // a cell waits to be written; the cell is the last; the cell has poison
  logic        inside_q;  // within a packet: the packet's length has a place
  logic        end_q;  // all words of the packet are written: the length is next
  logic [32*CellWords-1:0] cell_q;
  logic [PhaseBits-1:0] phase_q;
  logic        room, place, store;
  logic        in_order, restart;
  logic [15:0] length, occupied;

  assign occupied = write_q - acknowledged_o;
  assign room     = occupied < 16'(Depth);
  // A ring with nothing but the packet that comes is never full.
  assign in_order = 16'(next_o - acknowledged_o) <= 16'(written_o - acknowledged_o)
                 && 16'(written_o - acknowledged_o) <= occupied
                 && (room || (occupied == 16'(Depth) && written_o != acknowledged_o));
  assign restart  = sync_i && !in_order;
  assign place  = held_q && !inside_q && room && !restart;
  assign store  = held_q && inside_q && room && !restart;
  assign length = write_q - written_o - 16'd1;
  assign tready_o = !held_q && !end_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q   <= '0;
      held_q    <= 1'b0;
      inside_q  <= 1'b0;
      end_q     <= 1'b0;
      phase_q   <= '0;
      written_o <= '0;
    end else begin
      if (tvalid_i && tready_o) held_q <= 1'b1;
      if (place) inside_q <= 1'b1;
      if (store) begin
        phase_q <= phase_q + 1'b1;
        if (phase_q == PhaseBits'(CellWords - 1)) begin
          phase_q <= '0;
          held_q  <= 1'b0;
          end_q   <= last_q;
        end
      end
      if (place || store) write_q <= write_q + 1'b1;
      if (end_q) begin
        end_q     <= 1'b0;
        inside_q  <= 1'b0;
        written_o <= write_q;
      end
      if (restart) begin
        end_q     <= 1'b0;
        inside_q  <= 1'b0;
        phase_q   <= '0;
        written_o <= write_q;
      end
    end
    if (tvalid_i && tready_o) begin
      cell_q   <= (32 * CellWords)'(tdata_i);
      last_q   <= tlast_i;
      poison_q <= tuser_i;
    end
  end

  // ---------------------------------------------------------------- to the host
  logic [15:0] limit_q, moved;
  logic        allowed;
  logic [14:0] unused_past_limit;
  logic        unused_offset;  // more than a ring has
  logic [AddrBits-1:0] address;
  logic        valid_ack;

  assign moved       = position_i - acknowledged_o;
  assign valid_ack   = moved <= 16'(written_o - acknowledged_o);
  assign {allowed, unused_past_limit} = next_o - limit_q;
  assign available_o = next_o != written_o && allowed;
  assign waiting_o   = next_o != written_o && !allowed;
  assign unused_offset = ^offset_i;
  assign address     = next_o[AddrBits-1:0] + offset_i[AddrBits-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      acknowledged_o <= '0;
      next_o         <= '0;
      limit_q        <= '0;
    end else begin
      if (sent_i) next_o <= next_o + length_i;
      if (sync_i) begin
        next_o  <= restart ? write_q : acknowledged_o;
        limit_q <= restart ? write_q : acknowledged_o;
        if (restart) acknowledged_o <= write_q;
      end
      if (receive_i) begin
        limit_q <= limit_i;
        // An impossible position is ignored; the host sees the old position in the answer.
        if (valid_ack) begin
          acknowledged_o <= position_i;
          if (rewind_i || moved > 16'(next_o - acknowledged_o)) next_o <= position_i;
        end
      end
    end
  end

  xt_ram_1r1w #(
    .Width(32),
    .Depth(Depth)
  ) i_ring (
    .clk_i,
    .we_i   (store | end_q),
    .waddr_i(end_q ? written_o[AddrBits-1:0] : write_q[AddrBits-1:0]),
    .wdata_i(end_q ? {15'd0, poison_q, length} : cell_q[32*phase_q+:32]),
    .raddr_i(address),
    .rdata_o(word_o)
  );

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      receive_queue_keeps_its_order :
      assert (in_order);
      receive_queue_is_left_alone_while_it_sends :
      assert (!sent_i || (!receive_i && !sync_i));
    end
  end
`endif

endmodule

`default_nettype wire
