// SPDX-License-Identifier: Apache-2.0
//
// xt_bridge_sender into xt_bridge_receiver, either of which may be held up in any cycle: each frame comes out once, in
// its place and unchanged, and nothing else does. One frame is marked when it begins; those before it are counted.
// Within a frame a byte is there in every cycle, and the receiver takes one in every cycle that it should.
`default_nettype none

module bridge_frames_proof #(
  parameter int Words = 2,
  /// 0: the sender alone, before anything that takes its bytes when it likes.
  parameter int Whole = 1
) (
  input logic        clk_i,
  input logic        valid_i,
  input logic [63:0] header_i,
  input logic [ 1:0] words_i,
  input logic [31:0] word_i,
  input logic        mark_i,
  input logic        stall_i,
  input logic        take_i,
  input logic        index_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // ---------------------------------------------------------------- sender
  logic [1:0] words, index;
  logic begins, unused_done, offered, ready, goes, taken;
  logic [7:0] data;
  logic [63:0] header, header_q;
  logic [31:0] word;
  logic [1:0] index_q;
  logic mark, marks_q = 1'b0;  // the frame that begins; the one under way
  logic marked_q = 1'b0;  // it has not come out yet
  logic over_q = 1'b0;  // it has
  logic [63:0] kept_header_q;
  logic [1:0] kept_words_q;
  logic [63:0] kept_q;  // its payload

  assign header = begins ? header_i : header_q;
  assign words  = (words_i > 2'(Words)) ? 2'd0 : words_i;
  assign mark   = begins && mark_i && !marked_q && !over_q;
  assign word   = !marks_q ? word_i : index_q[0] ? kept_q[63:32] : kept_q[31:0];

  always_ff @(posedge clk_i) begin
    index_q <= index;
    if (begins) begin
      header_q <= header_i;
      marks_q  <= mark;
    end
    if (mark) begin
      kept_header_q <= header_i;
      kept_words_q  <= words;
      kept_q        <= {word_i, header_i[31:0] ^ header_i[63:32]};  // any two words
    end
  end

  xt_bridge_sender #(
    .CountBits(2)
  ) i_sender (
    .clk_i,
    .rst_ni  (rst_n),
    .valid_i (valid_i && rst_n),
    .header_i(header),
    .words_i (words),
    .index_o (index),
    .word_i  (word),
    .begin_o (begins),
    .done_o  (unused_done),
    .valid_o (offered),
    .ready_i (goes),
    .byte_o  (data)
  );
  assign goes  = (ready || Whole == 0) && !stall_i;
  assign taken = offered && goes && rst_n;

  // ---------------------------------------------------------------- receiver
  logic there, take, unused_cells;
  logic [63:0] got_header;
  logic [2:0] got_words;
  logic [31:0] got_word;
  logic [15:0] dropped;

  assign take = there && take_i && rst_n;

  xt_bridge_receiver #(
    .Words    (Words),
    .CellWords(1)
  ) i_receiver (
    .clk_i,
    .rst_ni   (rst_n),
    .restart_i(1'b0),
    .valid_i  (offered && !stall_i),
    .ready_o  (ready),
    .byte_i   (data),
    .valid_o  (there),
    .header_o (got_header),
    .words_o  (got_words),
    .cells_o  (unused_cells),
    .take_i   (take),
    .index_i  (index_i),
    .word_o   (got_word),
    .dropped_o(dropped)
  );

  // ---------------------------------------------------------------- what must hold
  logic [2:0] under_way_q = '0;  // begun and not taken
  logic [2:0] ended_q = '0, held_q = '0;  // sent as a whole and not taken; the same a cycle later
  logic [2:0] ahead_q = '0;
  logic inside_q = 1'b0, next_q = 1'b0, asked_q = 1'b0, flag_q = 1'b0;
  logic ends;

  assign ends = taken && data == 8'h7e && inside_q;

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      under_way_q <= under_way_q + 3'(begins) - 3'(take);
      ended_q     <= ended_q + 3'(ends) - 3'(take);
      held_q      <= ended_q - 3'(take);
      flag_q      <= taken && data == 8'h7e;
      if (taken) inside_q <= data != 8'h7e;
      if (mark) begin
        marked_q <= 1'b1;
        ahead_q  <= under_way_q - 3'(take);
      end else if (marked_q && take) begin
        if (ahead_q == '0) begin
          marked_q <= 1'b0;
          over_q   <= 1'b1;
        end else ahead_q <= ahead_q - 1'b1;
      end
    end
    next_q  <= index_i;
    asked_q <= marked_q && ahead_q == '0 && there && !take && 3'(index_i) < got_words;
  end

  always_comb begin
    if (rst_n) begin
      within_a_frame_a_byte_is_always_there : assert (!inside_q || offered);
      if (Whole != 0) begin
        a_byte_is_taken_in_each_cycle : assert (ready || ended_q >= 3'd2 || (ended_q == 3'd1 && flag_q));
        nothing_is_invented : assert (!there || under_way_q != '0);
        nothing_is_dropped : assert (dropped == '0);
        nothing_is_lost : assert (held_q == '0 || there);
      end
      if (Whole != 0 && there && marked_q && ahead_q == '0) begin
        header_is_unchanged : assert (got_header == kept_header_q);
        length_is_unchanged : assert (got_words == 3'(kept_words_q));
      end
      if (Whole != 0 && asked_q) payload_is_unchanged : assert (got_word == (next_q ? kept_q[63:32] : kept_q[31:0]));
    end
  end

endmodule

`default_nettype wire
