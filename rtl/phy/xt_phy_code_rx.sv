// SPDX-License-Identifier: Apache-2.0
//
// Receiver for xt_phy_code_tx, from a deserialiser that begins anywhere. The comma occurs nowhere else, so its place gives
// the start of codes and words. After GoodWords words without a fault the receiver is locked, until bad words prevail by
// 8. A word is bad if one of its codes does not exist or has the wrong disparity. A word is also bad if its first code is
// not one of the two control characters that begin words. Frames of bad words are dropped.
//
// Latency: three cycles after a word's last code.
// Speed: the code of the guessed byte, compared with the received code.
`default_nettype none

module xt_phy_code_rx #(
  /// Bits of a frame.
  parameter int FrameBits = 64,
  /// Good words in a row until the lock.
  parameter int GoodWords = 32
) (
  /// Clock of the link.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,

  /// Ten bits, the highest came first.
  input  logic [          9:0] bits_i,

  /// The positions of codes and words are known.
  output logic                 locked_o,
  /// A pulse: a word is complete.
  output logic                 valid_o,
  /// The word is a frame; otherwise idle or bad.
  output logic                 frame_valid_o,
  /// The frame.
  output logic [FrameBits-1:0] frame_o,
  /// The other end receives.
  output logic                 ready_o,
  /// Wrong codes of an idle word.
  output logic [          7:0] wrong_o
);

  localparam int Bytes = (FrameBits + 7) / 8;
  localparam int WordCodes = Bytes + 2;
  localparam int CountBits = $clog2(WordCodes);
  localparam int GoodBits = $clog2(GoodWords + 1);

  // ---------------------------------------------------------------- where codes begin
  logic [9:0] before_q;
  logic [3:0] offset_q, offset_d;
  logic [19:0] window;
  logic found;
  logic [9:0] code_q;

  assign window = {before_q, bits_i};
  always_comb begin
    found    = 1'b0;
    offset_d = offset_q;
    for (int o = 0; o < 10; o++) begin
      if (window[19-o-:7] == 7'b0011111 || window[19-o-:7] == 7'b1100000) begin
        found    = 1'b1;
        offset_d = 4'(o);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) offset_q <= '0;
    else if (found && !locked_o) offset_q <= offset_d;
    before_q <= bits_i;
    for (int o = 0; o < 10; o++) if (offset_q == 4'(o)) code_q <= window[19-o-:10];
  end

  // ---------------------------------------------------------------- what they say
  logic [8:0] guess;
  logic [7:0] data_q;
  logic control_q, fault_q, disparity_q;

  assign guess = xt_8b10b_code::guess(code_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      disparity_q <= 1'b0;
      control_q   <= 1'b0;
    end else begin
      disparity_q <= xt_8b10b_code::after(code_q, disparity_q);
      control_q   <= guess[8];
    end
    data_q  <= guess[7:0];
    fault_q <= xt_8b10b_code::encode(guess[7:0], guess[8], disparity_q) != code_q;
  end

  // ---------------------------------------------------------------- words
  logic [CountBits-1:0] count_q, count;
  logic [GoodBits-1:0] good_q;
  logic [2:0] bad_q;
  logic [14:0] random_q;
  logic comma, start, bad_word_q, bad_word, frame_q, last, wrong, resync_q;
  logic [7:0] wrong_q, wrong_d;
  logic [8*Bytes-1:8] share_q;
  logic [8*Bytes-1:0] share_d;

  assign comma    = control_q & ~fault_q & data_q == xt_8b10b_code::Comma;
  assign start    = control_q & ~fault_q & data_q == xt_8b10b_code::Start;
  assign count    = (!locked_o && comma) ? '0 : count_q;
  assign last     = count == CountBits'(WordCodes - 1);
  assign bad_word = (count != '0 && bad_word_q) | fault_q | (count == '0 ? ~(comma | start) : control_q);
  assign share_d  = {data_q, share_q};
  assign wrong    = fault_q | control_q | (data_q != xt_8b10b_code::random_byte(random_q));
  assign wrong_d  = wrong_q + {7'd0, wrong};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q       <= '0;
      good_q        <= '0;
      bad_q         <= '0;
      locked_o      <= 1'b0;
      valid_o       <= 1'b0;
      frame_valid_o <= 1'b0;
      resync_q      <= 1'b1;
    end else begin
      count_q <= last ? '0 : count + 1'b1;
      valid_o <= last & locked_o;
      frame_valid_o <= last & frame_q & ~bad_word;
      if (last) begin
        if (!locked_o) begin
          good_q <= bad_word ? '0 : good_q + 1'b1;
          if (!bad_word && good_q == GoodBits'(GoodWords - 1)) begin
            locked_o <= 1'b1;
            bad_q    <= '0;
          end
        end else if (!bad_word) begin
          if (bad_q != '0) bad_q <= bad_q - 1'b1;
        end else begin
          bad_q <= bad_q + 1'b1;
          if (bad_q == '1) begin
            locked_o <= 1'b0;
            good_q   <= '0;
          end
        end
        // The sequence of the other end is elsewhere if more than half of it is wrong.
        resync_q <= ~frame_q & (wrong_d > 8'(Bytes / 2));
      end
    end
    bad_word_q <= bad_word;
    share_q    <= share_d[8*Bytes-1:8];
    if (count == '0) frame_q <= start;
    if (count < CountBits'(2)) wrong_q <= '0;
    else if (!frame_q) wrong_q <= wrong_d;
    if (!frame_q && count > CountBits'(1)) begin
      random_q <= resync_q ? xt_8b10b_code::random_follow(random_q[6:0], data_q) : xt_8b10b_code::random_next(random_q);
    end
    if (last) begin
      frame_o <= share_d[FrameBits-1:0];
      wrong_o <= frame_q ? '0 : wrong_d;
    end
    if (count == CountBits'(1) && !fault_q && !control_q) begin
      if (data_q == xt_8b10b_code::Ready) ready_o <= 1'b1;
      else if (data_q == ~xt_8b10b_code::Ready) ready_o <= 1'b0;
    end
  end

endmodule

`default_nettype wire
