// SPDX-License-Identifier: Apache-2.0
//
// xt_bridge_receiver under any bytes. A request comes out if and only if the bytes between two flags are a
// good frame. The bench defines a good frame again, byte by byte:
// - 12 + 4n bytes, n at most the room for words;
// - no escape before the flag;
// - the CRC over all bytes is the residue.
//
// The compared byte of a header is chosen freely.
`default_nettype none

module bridge_receiver_proof #(
  parameter int Words = 2
) (
  input logic       clk_i,
  input logic       valid_i,
  input logic [7:0] byte_i,
  input logic       restart_i,
  input logic       take_i,
  input logic [2:0] which_i
);

  localparam int Most = 4 * (Words + 3);  // bytes of a frame
  localparam int Bits = $clog2(Most + 8);

  logic rst_n = 1'b0;
  logic [2:0] which_q;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (!rst_n) which_q <= which_i;
  end

  logic ready, there, take, unused_cells;
  logic [63:0] header;
  logic [2:0] words;
  logic [31:0] unused_word;
  logic [15:0] unused_dropped;

  assign take = there && take_i && rst_n;

  xt_bridge_receiver #(
    .Words    (Words),
    .CellWords(1)
  ) i_dut (
    .clk_i,
    .rst_ni   (rst_n),
    .restart_i(restart_i && rst_n),
    .valid_i  (valid_i && rst_n),
    .ready_o  (ready),
    .byte_i,
    .valid_o  (there),
    .header_o (header),
    .words_o  (words),
    .cells_o  (unused_cells),
    .take_i   (take),
    .index_i  (1'b0),
    .word_o   (unused_word),
    .dropped_o(unused_dropped)
  );

  // ---------------------------------------------------------------- the same a second time
  logic [Bits-1:0] count_q = '0;  // bytes since the flag, no more than Most + 4 counted
  logic [31:0] crc_q = '1, crc;
  logic escape_q = 1'b0;
  logic [7:0] plain, seen_q;
  logic taken, good;

  assign taken = valid_i && ready && rst_n;
  assign plain = escape_q ? byte_i ^ 8'h20 : byte_i;
  assign good  = taken && byte_i == 8'h7e && !escape_q && count_q[1:0] == '0 && count_q >= Bits'(12)
              && count_q <= Bits'(Most) && crc_q == xt_bridge_pkg::CrcResidue;

  xt_bridge_crc i_crc (
    .crc_i (crc_q),
    .byte_i(plain),
    .crc_o (crc)
  );

  always_ff @(posedge clk_i) begin
    if (restart_i || (taken && byte_i == 8'h7e)) begin
      count_q  <= '0;
      crc_q    <= '1;
      escape_q <= 1'b0;
    end else if (taken) begin
      escape_q <= byte_i == 8'h7d && !escape_q;
      if (byte_i != 8'h7d || escape_q) begin
        if (count_q != Bits'(Most + 4)) count_q <= count_q + 1'b1;
        crc_q <= crc;
        if (count_q == Bits'(which_q)) seen_q <= plain;
      end
    end
  end

  // What has come and was not taken: at most two, the older one first.
  logic [1:0] held_q = '0;
  logic came_q = 1'b0, comes;  // a good frame in the last cycle
  logic [7:0] came_byte_q, first_byte_q, second_byte_q;
  logic [2:0] came_words_q, first_words_q, second_words_q;

  assign comes = came_q && !restart_i;

  always_ff @(posedge clk_i) begin
    came_q       <= good && !restart_i;
    came_byte_q  <= seen_q;
    came_words_q <= 3'((count_q - Bits'(12)) >> 2);
    held_q       <= held_q + 2'(comes) - 2'(take);
    if (take) begin
      first_byte_q  <= second_byte_q;
      first_words_q <= second_words_q;
    end
    if (comes) begin
      if (held_q == 2'(take)) begin
        first_byte_q  <= came_byte_q;
        first_words_q <= came_words_q;
      end else begin
        second_byte_q  <= came_byte_q;
        second_words_q <= came_words_q;
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      only_good_frames_are_requests : assert (there == (held_q != '0));
      there_is_room_for_two : assert (held_q <= 2'd2);
      if (there) begin
        header_is_the_frames : assert (header[8*which_q+:8] == first_byte_q);
        length_is_the_frames : assert (words == first_words_q);
      end
    end
  end

endmodule

`default_nettype wire
