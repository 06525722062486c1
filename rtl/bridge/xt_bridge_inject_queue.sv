// SPDX-License-Identifier: Apache-2.0
//
// Packets from the host to one NIC port: a FIFO of words, with the number of words before each packet. A packet goes
// to the card when the FIFO holds the whole packet, so every packet that begins is finished.
//
// An upset may make a packet longer than what is there; then it ends with that. One of a position may leave no room:
// that of a session's begin is right again, if the FIFO is empty then.
//
// Latency: 2 cycles from commit_i to the first word, CellWords to the beat. A word per cycle in and out.
// Speed: tready_i enables the adder behind the read pointer, and the sum is the address of the block RAM.
`default_nettype none

module xt_bridge_inject_queue #(
  /// Words of the queue.
  parameter int Depth = 256,
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

  /// A word: the number of a packet's words, or one of these.
  input  logic                push_i,
  /// The word.
  input  logic [        31:0] word_i,
  /// With a packet's last word.
  input  logic                commit_i,
  /// A session begins: no packet is half here.
  input  logic                sync_i,
  /// Free words of the queue.
  output logic [        15:0] free_o,
  /// Position, words since reset modulo 65536, after the last packet that the card has taken.
  output logic [        15:0] taken_o,

  /// AXI4-Stream.
  output logic                tvalid_o,
  /// AXI4-Stream.
  input  logic                tready_i,
  /// AXI4-Stream.
  output logic [CellBits-1:0] tdata_o,
  /// AXI4-Stream.
  output logic                tlast_o
);

  localparam int PhaseBits = (CellWords > 1) ? $clog2(CellWords) : 1;

  if (Depth != (32'd1 << AddrBits) || Depth > 16384) begin : g_illegal
    xt_bridge_inject_queue_depth_must_be_a_power_of_two_up_to_16384 i_illegal ();
  end

  logic [      15:0] write_q, whole_q, read_q, read_d;  // positions
  logic [      15:0] end_q;  // after the packet whose last cell was put together
  logic              body_q;  // within a packet
  logic [      15:0] left_q;  // words of the packet
  logic [PhaseBits-1:0] phase_q;  // words of the cell collected so far
  logic [32*CellWords-1:0] cell_q;
  logic [31:0]       word;
  logic              there, length, load;

  assign there  = read_q != whole_q;
  assign length = there && !body_q;
  assign load   = body_q && there && (!tvalid_o || tready_i);
  assign read_d = read_q + {15'd0, length | load};
  assign free_o = 16'(Depth) - (write_q - taken_o);
  assign tdata_o = cell_q[CellBits-1:0];

  xt_ram_1r1w #(
    .Width(32),
    .Depth(Depth)
  ) i_fifo (
    .clk_i,
    .we_i   (push_i),
    .waddr_i(write_q[AddrBits-1:0]),
    .wdata_i(word_i),
    .raddr_i(read_d[AddrBits-1:0]),
    .rdata_o(word)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= '0;
      whole_q  <= '0;
      read_q   <= '0;
      body_q   <= 1'b0;
      phase_q  <= '0;
      tvalid_o <= 1'b0;
      taken_o  <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (push_i && commit_i) whole_q <= write_q + 1'b1;
      read_q <= read_d;
      if (tready_i) tvalid_o <= 1'b0;
      if (length) begin
        body_q  <= 1'b1;
        phase_q <= '0;
      end
      if (!there) body_q <= 1'b0;
      if (load) begin
        phase_q <= phase_q + 1'b1;
        if (phase_q == PhaseBits'(CellWords - 1)) begin
          phase_q  <= '0;
          tvalid_o <= 1'b1;
          tlast_o  <= left_q == 16'd1;
        end
        if (left_q == 16'd1) body_q <= 1'b0;
      end
      if (tvalid_o && tready_i && tlast_o) taken_o <= end_q;
      if (sync_i) begin
        write_q <= whole_q;
        if (!there && !tvalid_o) taken_o <= whole_q;
      end
    end
    if (load && left_q == 16'd1) end_q <= read_d;
    if (length) left_q <= word[15:0];
    if (load) begin
      left_q <= left_q - 1'b1;
      cell_q[32*phase_q+:32] <= word;
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      inject_queue_never_overflows :
      assert (!push_i || free_o != '0);
    end
  end
`endif

endmodule

`default_nettype wire
