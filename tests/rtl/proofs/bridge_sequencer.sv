// SPDX-License-Identifier: Apache-2.0
//
// xt_bridge_sequencer under any requests. Registers, queues and answers take any time. A request changes
// something only if its number is the expected one, after a SYNC, and once. The bench counts the expected
// number a second time, from the answers.
`default_nettype none

module bridge_sequencer_proof (
  input logic        clk_i,
  input logic        valid_i,
  input logic [63:0] header_i,
  input logic [ 2:0] words_i,
  input logic [31:0] word_i,
  input logic        cells_i,
  input logic        answer_done_i,
  input logic        done_i,
  input logic        refused_i,
  input logic        held_i,
  input logic [15:0] free_i
);

  localparam int Words = 8;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // A request stays until it is taken, the word of SYNC with it.
  logic there_q = 1'b0, take;
  logic [63:0] header_q;
  logic [3:0] words_q;
  logic [31:0] word_q;
  logic cells_q;

  always_ff @(posedge clk_i) begin
    if (take) there_q <= 1'b0;
    if (!there_q && valid_i && rst_n) begin
      there_q  <= 1'b1;
      header_q <= header_i;
      words_q  <= 4'(words_i);
      word_q   <= word_i;
      cells_q  <= cells_i && words_i != '0;
    end
  end

  logic answer_valid, start, write, sync, synced, commit, push, receive, card_reset, reads_q;
  logic [63:0] answer_header;
  // An access that was begun ends once, an answer that is there is taken once.
  logic busy_q = 1'b0, done;
  assign done = busy_q && done_i;
  always_ff @(posedge clk_i) begin
    if (start) busy_q <= 1'b1;
    else if (done) busy_q <= 1'b0;
  end

  xt_bridge_sequencer #(
    .Cards       (1),
    .Nics        (1),
    .Window      (4),
    .RequestWords(Words),
    .ReadWords   (8)
  ) i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .serial_i       (64'd0),
    .dropped_i      (16'd0),
    .valid_i        (there_q),
    .header_i       (header_q),
    .words_i        (words_q),
    .cells_i        (cells_q),
    .take_o         (take),
    .index_o        (),
    .word_i         (word_q),
    .answer_we_o    (),
    .answer_half_o  (),
    .answer_index_o (),
    .answer_word_o  (),
    .answer_valid_o (answer_valid),
    .answer_header_o(answer_header),
    .answer_words_o (),
    .answer_from_o  (),
    .answer_done_i  (answer_valid && answer_done_i),
    .start_o        (start),
    .write_o        (write),
    .card_o         (),
    .address_o      (),
    .done_i         (done),
    .busy_i         (busy_q),
    .refused_i,
    .data_i         (32'd0),
    .sync_o         (sync),
    .synced_o       (synced),
    .hold_o         (),
    .held_i,
    .push_o         (push),
    .push_word_o    (),
    .commit_o       (commit),
    .free_i,
    .taken_i        (16'd0),
    .receive_o      (receive),
    .position_o     (),
    .limit_o        (),
    .rewind_o       (),
    .acknowledged_i (16'd0),
    .written_i      (16'd0),
    .card_reset_o   (card_reset)
  );

  // ---------------------------------------------------------------- the number expected, a second time
  logic [15:0] expected_q = '0, number;
  logic known_q = 1'b0;  // there has been a SYNC
  logic is_info, is_sync, changes;
  logic [2:0] commits_q = '0;  // packets put into the queue for this request

  assign number  = header_q[31:16];
  assign is_info = header_q[7:0] == xt_bridge_pkg::KindInfo;
  assign is_sync = header_q[7:0] == xt_bridge_pkg::KindSync;
  assign changes = (start && write) || push || commit || receive || card_reset;

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      if (sync) begin
        known_q    <= 1'b1;
        expected_q <= number + 1'b1;
      end else if (take && known_q && !is_info && !is_sync && number == expected_q) expected_q <= expected_q + 1'b1;
    end
    commits_q <= take ? '0 : commits_q + 3'(commit);
  end

  always_comb begin
    if (rst_n) begin
      changes_are_asked_for : assert (!changes || there_q);
      changes_have_the_expected_number : assert (!changes || (known_q && number == expected_q));
      a_packet_is_put_once : assert (!commit || commits_q == '0);
      sync_is_asked_for : assert (!sync || (there_q && is_sync));
      known_is_known : assert (known_q == synced);
    end
  end

endmodule

`default_nettype wire
