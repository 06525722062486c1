// SPDX-License-Identifier: Apache-2.0
//
// Receiver for xt_phy_tx. Each lane finds its words by itself (xt_phy_lane), so lanes may lag behind each other by up
// to Skew cycles, less than half a word. Words that complete within Skew cycles belong together. If one of them is
// missing then, the others are dropped.
//
// Latency: a cycle after the last lane's word.
// Speed: a sum over the lanes of the numbers of wrong bits.
`default_nettype none

module xt_phy_rx #(
  /// Lanes.
  parameter int Lanes = 8,
  /// Bits of a frame.
  parameter int FrameBits = 64,
  /// Bits of a lane's share.
  localparam int LaneBits = (FrameBits + Lanes - 1) / Lanes,
  /// Most cycles between the first and the last lane.
  localparam int Skew = (LaneBits + 2) / 2 - 1
) (
  /// Clock of the link.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,

  /// A bit of each lane.
  input  logic [    Lanes-1:0] data_i,

  /// All lanes are locked.
  output logic                 locked_o,
  /// A pulse: a word of all lanes.
  output logic                 valid_o,
  /// The word is a frame; otherwise idle, or its lanes disagree.
  output logic                 frame_valid_o,
  /// The frame.
  output logic [FrameBits-1:0] frame_o,
  /// The other end receives.
  output logic                 ready_o,
  /// Wrong bits of an idle word, at most 255.
  output logic [          7:0] wrong_o
);

  localparam int SkewBits = $clog2(Skew + 1);

  logic [Lanes-1:0] locked, valid, frame, here_q, here_d;
  logic [Lanes*LaneBits-1:0] share;
  logic [4*Lanes-1:0] wrong;
  logic [SkewBits-1:0] age_q;  // cycles since the first lane's word
  logic whole;

  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    xt_phy_lane #(
      .LaneBits(LaneBits)
    ) i_lane (
      .clk_i,
      .rst_ni,
      .bit_i   (data_i[l]),
      .locked_o(locked[l]),
      .valid_o (valid[l]),
      .frame_o (frame[l]),
      .share_o (share[LaneBits*l+:LaneBits]),
      .wrong_o (wrong[4*l+:4])
    );
  end

  assign here_d = here_q | valid;
  assign whole  = here_d == '1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      here_q   <= '0;
      age_q    <= '0;
      locked_o <= 1'b0;
      valid_o  <= 1'b0;
    end else begin
      locked_o <= locked == '1;
      valid_o  <= whole & (locked == '1);
      if (whole) here_q <= '0;
      else if (here_q != '0 && age_q == SkewBits'(Skew)) here_q <= valid;
      else here_q <= here_d;
      if (here_q == '0 || age_q == SkewBits'(Skew)) age_q <= '0;
      else age_q <= age_q + 1'b1;
    end
    if (whole) begin
      frame_o       <= share[FrameBits-1:0];
      frame_valid_o <= frame == '1;
    end
  end

  // An idle word carries Ready on every lane, and a frame implies Ready. So one wrong bit does not stop the frames of the
  // other direction.
  logic ready;
  logic [7:0] sum;
  always_comb begin
    ready = 1'b0;
    sum   = '0;
    for (int l = 0; l < Lanes; l++) begin
      ready = ready | frame[l] | share[LaneBits*l+1];
      sum   = sum + {4'd0, wrong[4*l+:4]};
    end
  end
  always_ff @(posedge clk_i) begin
    if (whole) begin
      ready_o <= ready;
      wrong_o <= (frame == '0) ? sum : '0;
    end
  end

endmodule

`default_nettype wire
