// SPDX-License-Identifier: Apache-2.0
//
// Sends frames as 8b/10b codes, one a cycle, for a serialiser without a coder. Words of WordCodes codes come without a
// gap:
//   frame  K27.7, Ready, then the frame, lowest byte first
//   idle   K28.5, a comma, Ready, then a pseudo-random sequence, which the other end checks (x^15 + x^14 + 1; the sequence
//          stands still during frames)
// Ready says that this end receives. Frames leave only while both ends receive. Other frames are dropped; the link layer
// replays them.
//
// Latency: up to a word from frame_valid_i to the first code, then a cycle to the serialiser. Frames must not come
// faster than words.
// Speed: the choice of a byte, its code, and the disparity after the code.
`default_nettype none

module xt_phy_code_tx #(
  /// Bits of a frame.
  parameter int FrameBits = 64,
  /// Codes of a word: cycles of a frame.
  localparam int WordCodes = (FrameBits + 7) / 8 + 2
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

  /// A code, the highest bit is sent first.
  output logic [          9:0] code_o
);

  localparam int CountBits = $clog2(WordCodes);
  localparam int Bytes = WordCodes - 2;

  logic [CountBits-1:0] count_q;
  logic                 idle_q;  // the word is an idle one
  logic                 waiting_q;  // a frame waits for the next word
  logic [FrameBits-1:0] frame_q;
  logic [  8*Bytes-1:0] share_q;
  logic [         14:0] random_q;
  logic [          7:0] first, second, further, data;
  logic                 control, disparity_q, word_end, take;
  logic [          9:0] code;

  assign word_end = count_q == CountBits'(WordCodes - 1);
  assign take     = word_end & waiting_q & up_i;
  assign code     = xt_8b10b_code::encode(data, control, disparity_q);

  assign control = count_q == '0;
  assign first   = idle_q ? xt_8b10b_code::Comma : xt_8b10b_code::Start;
  assign second  = ready_i ? xt_8b10b_code::Ready : ~xt_8b10b_code::Ready;
  assign further = idle_q ? xt_8b10b_code::random_byte(random_q) : share_q[7:0];
  assign data    = (count_q == '0) ? first : (count_q == CountBits'(1)) ? second : further;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q     <= '0;
      idle_q      <= 1'b1;
      waiting_q   <= 1'b0;
      disparity_q <= 1'b0;
      random_q    <= 15'd1;
    end else begin
      count_q <= word_end ? '0 : count_q + 1'b1;
      if (word_end) idle_q <= ~take;
      waiting_q   <= frame_valid_i | (waiting_q & ~word_end);
      disparity_q <= xt_8b10b_code::after(code, disparity_q);
      if (idle_q && count_q > CountBits'(1)) random_q <= (random_q == '0) ? 15'd1 : xt_8b10b_code::random_next(random_q);
    end
    if (frame_valid_i) frame_q <= frame_i;
    if (take) share_q <= (8 * Bytes)'(frame_q);
    else if (count_q > CountBits'(1)) share_q <= share_q >> 8;
    code_o <= code;
  end

endmodule

`default_nettype wire
