// SPDX-License-Identifier: Apache-2.0
//
// One lane of xt_phy_rx: finds the word boundaries of xt_phy_tx and takes the words apart. The lane slips by a bit
// whenever a header has two equal bits, until GoodWords good headers in a row. The lane is then locked, until wrong
// headers prevail by 8. Meanwhile the other end sends idle words. Their content is random, so every other position fails
// soon.
//
// Latency: a cycle after a word's last bit.
// Speed: a comparison of the bit counter, then a count of wrong bits.
`default_nettype none

module xt_phy_lane #(
  /// Bits of the lane's share of a frame.
  parameter int LaneBits = 8,
  /// Good headers until the lane is locked.
  parameter int GoodWords = 32
) (
  /// Clock of the link.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,

  /// A bit.
  input  logic                bit_i,

  /// The positions of words are known.
  output logic                locked_o,
  /// A pulse: a word is complete, only while locked.
  output logic                valid_o,
  /// The word belongs to a frame.
  output logic                frame_o,
  /// The share of the frame; of an idle word bit 1 is Ready.
  output logic [LaneBits-1:0] share_o,
  /// Bits of an idle word that were wrong: each that is wrong on the way makes up to three.
  output logic [         3:0] wrong_o
);

  localparam int WordBits = LaneBits + 2;
  localparam int CountBits = $clog2(WordBits);
  localparam int GoodBits = $clog2(GoodWords + 1);

  logic [CountBits-1:0] count_q;
  logic [ GoodBits-1:0] good_q;
  logic [          2:0] bad_q;
  logic [         14:0] random_q;
  logic                 first_q, frame_q, at_header, header_good, slip, at_random, wrong;
  logic [          3:0] wrong_q, wrong_d;
  logic [ LaneBits-1:1] share_q;
  logic [ LaneBits-1:0] share_d;

  assign at_header   = count_q == CountBits'(1);
  assign header_good = first_q != bit_i;
  assign slip        = at_header & ~header_good & ~locked_o;
  assign at_random   = count_q > CountBits'(1) && count_q != CountBits'(3);
  assign wrong       = ~frame_q & at_random & (bit_i != (random_q[14] ^ random_q[13]));
  assign wrong_d     = (wrong && wrong_q != '1) ? wrong_q + 1'b1 : wrong_q;
  assign share_d     = {bit_i, share_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q  <= '0;
      good_q   <= '0;
      bad_q    <= '0;
      locked_o <= 1'b0;
      valid_o  <= 1'b0;
    end else begin
      if (!slip) count_q <= (count_q == CountBits'(WordBits - 1)) ? '0 : count_q + 1'b1;
      if (at_header && !locked_o) begin
        good_q <= header_good ? good_q + 1'b1 : '0;
        if (header_good && good_q == GoodBits'(GoodWords - 1)) begin
          locked_o <= 1'b1;
          bad_q    <= '0;
        end
      end else if (at_header) begin
        if (!header_good) bad_q <= bad_q + 1'b1;
        else if (bad_q != '0) bad_q <= bad_q - 1'b1;
        if (!header_good && bad_q == '1) begin
          locked_o <= 1'b0;
          good_q   <= '0;
        end
      end
      valid_o <= locked_o && count_q == CountBits'(WordBits - 1);
    end
    first_q <= bit_i;
    if (at_header) frame_q <= bit_i;
    if (!frame_q && at_random) random_q <= {random_q[13:0], bit_i};
    share_q <= share_d[LaneBits-1:1];
    wrong_q <= (count_q == '0) ? '0 : wrong_d;
    if (count_q == CountBits'(WordBits - 1)) begin
      share_o <= share_d;
      frame_o <= frame_q;
      wrong_o <= wrong_d;
    end
  end

endmodule

`default_nettype wire
