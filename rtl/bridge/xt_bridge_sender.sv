// SPDX-License-Identifier: Apache-2.0
//
// Turns frames into bytes for the host: header, payload fetched word by word, CRC, escapes, flags. One flag ends a frame
// and begins the next.
//
// Latency: 2 cycles from valid_i to the first flag. A byte per cycle, also across frames if the next frame is ready when
// the last word of payload is fetched.
// Speed: one byte of CRC and the choice of the next word.
`default_nettype none

module xt_bridge_sender #(
  /// Bits of a number of words.
  parameter int CountBits = 8
) (
  /// Clock.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,

  /// A frame is to be sent.
  input  logic                 valid_i,
  /// Header of the frame, first byte lowest.
  input  logic [         63:0] header_i,
  /// Words of the payload.
  input  logic [CountBits-1:0] words_i,
  /// Word of the payload to read; the first after a frame was taken.
  output logic [CountBits-1:0] index_o,
  /// The word addressed in the previous cycle.
  input  logic [         31:0] word_i,
  /// The frame has begun: header_i and words_i stay until done_o.
  output logic                 begin_o,
  /// The whole frame has been read.
  output logic                 done_o,
  /// A frame has begun, and its end is not out.
  output logic                 busy_o,

  /// A byte for the host.
  output logic                 valid_o,
  /// The offered item is taken.
  input  logic                 ready_i,
  /// The byte.
  output logic [          7:0] byte_o
);

  typedef enum logic [2:0] {
    Idle,
    Open,  // the flag that begins a frame after a pause
    Low,  // first word of the header
    High,  // second word
    Payload,
    Crc,
    Close  // the flag that ends a frame
  } state_t;

  state_t state_q;
  logic [31:0] word_q, crc_q, crc;
  logic [ 1:0] place_q;
  logic        changed_q;  // the escape before this byte is out
  logic        step, special, advance, last;
  logic        body;  // within a frame

  assign busy_o  = body;
  assign body    = state_q == Low || state_q == High || state_q == Payload || state_q == Crc;
  assign special = word_q[7:0] == xt_bridge_pkg::Flag[7:0] || word_q[7:0] == xt_bridge_pkg::Escape[7:0];
  assign step    = !valid_o || ready_i;
  assign advance = step && body && (!special || changed_q);
  assign last    = advance && place_q == 2'd3;

  xt_bridge_crc i_crc (
    .crc_i (crc_q),
    .byte_i(word_q[7:0]),
    .crc_o (crc)
  );

  logic [CountBits-1:0] left_q;
  logic                 start;

  assign start   = step && valid_i && (state_q == Open || state_q == Close);
  assign begin_o = start;
  // The last word of the payload goes into word_q, or there is none.
  assign done_o  = last && ((state_q == High && left_q <= CountBits'(1))
                         || (state_q == Payload && left_q == CountBits'(1)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      valid_o   <= 1'b0;
      changed_q <= 1'b0;
      place_q   <= '0;
    end else begin
      if (step) begin
        valid_o   <= body || state_q == Open || state_q == Close;
        changed_q <= body && special && !changed_q;
      end
      if (advance) place_q <= place_q + 1'b1;
      case (state_q)
        Idle: if (valid_i) state_q <= Open;
        Open: if (start) state_q <= Low;
        Low: if (last) state_q <= High;
        High: if (last) state_q <= (left_q != '0) ? Payload : Crc;
        Payload: if (last && left_q == '0) state_q <= Crc;
        Crc: if (last) state_q <= Close;
        default: if (step) state_q <= valid_i ? Low : Idle;
      endcase
    end

    if (step) begin
      if (!body) byte_o <= xt_bridge_pkg::Flag[7:0];
      else if (special && !changed_q) byte_o <= xt_bridge_pkg::Escape[7:0];
      else byte_o <= word_q[7:0] ^ (changed_q ? xt_bridge_pkg::EscapeMask[7:0] : 8'h00);
    end

    if (start) begin
      word_q  <= header_i[31:0];
      crc_q   <= '1;
      left_q  <= words_i;
      index_o <= '0;
    end else if (advance) begin
      crc_q  <= crc;
      word_q <= {8'h00, word_q[31:8]};
      if (place_q == 2'd3) begin
        if (state_q == Low) word_q <= header_i[63:32];
        else if (left_q != '0 && state_q != Crc) begin
          word_q  <= word_i;
          left_q  <= left_q - 1'b1;
          index_o <= index_o + 1'b1;
        end else word_q <= ~crc;
      end
    end
  end

endmodule

`default_nettype wire
