// SPDX-License-Identifier: Apache-2.0
//
// Sends frames over a few lanes. Each lane carries words of WordBits bits without a gap, all lanes in step:
//   frame  0 1, then the lane's share of the frame, lowest bits first; lane 0 has the lowest share
//   idle   1 0, then a pseudo-random sequence, which the other end checks (x^15 + x^14 + 1, one per lane; the sequence
//          stands still during frames), with Ready as its second bit
// Ready says that this end receives. Next to the header it would make one of 0 1, a bit late. Frames leave only while both ends receive. Other frames are dropped; the link layer
// replays them.
//
// Latency: up to a word from frame_valid_i to the first bit, then a cycle to the pins. Frames must not come
// faster than words.
// Speed: a comparison of the bit counter and a choice of one bit per lane.
`default_nettype none

module xt_phy_tx #(
  /// Lanes.
  parameter int Lanes = 8,
  /// Bits of a frame.
  parameter int FrameBits = 64,
  /// Bits of a lane's share.
  localparam int LaneBits = (FrameBits + Lanes - 1) / Lanes,
  /// Bits of a word: cycles of a frame.
  localparam int WordBits = LaneBits + 2
) (
  /// Clock.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,

  /// A frame.
  input  logic                 frame_valid_i,
  /// The frame.
  input  logic [FrameBits-1:0] frame_i,
  /// This end receives.
  input  logic                 ready_i,
  /// Both ends do.
  input  logic                 up_i,

  /// A bit of each lane.
  output logic [    Lanes-1:0] data_o
);

  localparam int CountBits = $clog2(WordBits);
  localparam int PadBits = Lanes * LaneBits - FrameBits;

  if (LaneBits < 3) begin : g_illegal
    xt_phy_tx_has_three_bits_of_a_frame_in_each_lane i_illegal ();
  end

  logic [CountBits-1:0] count_q;  // bit of the word
  logic                 idle_q;  // the word is an idle one
  logic                 waiting_q;  // a frame waits for the next word
  logic [FrameBits-1:0] frame_q;
  logic                 word_end, take;

  assign word_end = count_q == CountBits'(WordBits - 1);
  assign take     = word_end & waiting_q & up_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q   <= '0;
      idle_q    <= 1'b1;
      waiting_q <= 1'b0;
    end else begin
      count_q <= word_end ? '0 : count_q + 1'b1;
      if (word_end) idle_q <= ~take;
      waiting_q <= frame_valid_i | (waiting_q & ~word_end);
    end
    if (frame_valid_i) frame_q <= frame_i;
  end

  logic [Lanes*LaneBits-1:0] padded;
  if (PadBits == 0) begin : g_whole
    assign padded = frame_q;
  end else begin : g_padded
    assign padded = {{PadBits{1'b0}}, frame_q};
  end

  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    logic [LaneBits-1:0] share_q;
    logic [14:0] random_q;
    logic random, out;

    // Zero, after an upset, would stay.
    assign random = (random_q[14] ^ random_q[13]) | (random_q == '0);

    always_comb begin
      out = idle_q ? random : share_q[0];
      if (count_q == CountBits'(0)) out = idle_q;
      else if (count_q == CountBits'(1)) out = ~idle_q;
      else if (count_q == CountBits'(3) && idle_q) out = ready_i;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) random_q <= 15'(l + 1);
      else if (idle_q && count_q > CountBits'(1) && count_q != CountBits'(3)) random_q <= {random_q[13:0], random};
      if (take) share_q <= padded[LaneBits*l+:LaneBits];
      else if (count_q > CountBits'(1)) share_q <= {1'b0, share_q[LaneBits-1:1]};
      data_o[l] <= out;
    end
  end

endmodule

`default_nettype wire
