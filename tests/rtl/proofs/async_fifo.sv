// SPDX-License-Identifier: Apache-2.0
//
// xt_async_fifo under two clocks that rise at any time, also together. Each written word is read once, in its
// place and unchanged. A full FIFO takes no word, and an empty one gives none.
//
// A register that samples a Gray code during its change holds the old or the new code, because one bit
// changes. The clock might as well have come before or after, and the proof covers all orders of clocks. The
// bench asserts the condition for this.
//
// Needs yosys's clk2fflogic. A step of the proof is an instant, in which each clock may rise.
`default_nettype none

module async_fifo_proof #(
  parameter int Depth = 4
) (
  input logic write_clk_i,
  input logic read_clk_i,
  input logic valid_i,
  input logic word_i,
  input logic ready_i,
  input logic mark_i
);

  localparam int CountBits = $clog2(Depth) + 1;

  (* gclk *) logic step;

  logic rst_n = 1'b0;
  logic write_clk_q = 1'b1, read_clk_q = 1'b1;  // no edge in the first instant, as clk2fflogic has it
  logic begun_write_q = 1'b0, begun_read_q = 1'b0;
  logic write_rise, read_rise;
  logic ready, valid, word;

  assign write_rise = write_clk_i && !write_clk_q;
  assign read_rise  = read_clk_i && !read_clk_q;

  // Reset lasts until both clocks have risen.
  always @(posedge step) begin
    write_clk_q   <= write_clk_i;
    read_clk_q    <= read_clk_i;
    begun_write_q <= begun_write_q || write_rise;
    begun_read_q  <= begun_read_q || read_rise;
    rst_n         <= begun_write_q && begun_read_q;
  end

  xt_async_fifo #(
    .Width(1),
    .Depth(Depth)
  ) i_dut (
    .write_clk_i,
    .write_rst_ni(rst_n),
    .valid_i,
    .ready_o     (ready),
    .word_i,
    .read_clk_i,
    .read_rst_ni (rst_n),
    .valid_o     (valid),
    .ready_i,
    .word_o      (word)
  );

  // What the registers see at an edge is what was there in the instant before.
  logic write_q = 1'b0, read_q = 1'b0, put_q = 1'b0, got_q = 1'b0, mark_q = 1'b0, live_q = 1'b0;
  logic wrote, reads;
  always @(posedge step) begin
    write_q <= valid_i && ready && rst_n;
    read_q  <= valid && ready_i && rst_n;
    put_q   <= word_i;
    got_q   <= word;
    mark_q  <= mark_i;
    live_q  <= rst_n;
  end
  assign wrote = write_rise && write_q && live_q;
  assign reads = read_rise && read_q && live_q;

  // Words within, and those before one that was marked when it was written.
  logic [CountBits-1:0] count_q = '0, ahead_q = '0;
  logic                 marked_q = 1'b0, marked_word_q = 1'b0, over_q = 1'b0;
  always @(posedge step) begin
    count_q <= count_q + CountBits'(wrote) - CountBits'(reads);
    if (wrote && mark_q && !marked_q && !over_q) begin
      marked_q      <= 1'b1;
      marked_word_q <= put_q;
      ahead_q       <= count_q - CountBits'(reads);
    end else if (marked_q && reads) begin
      if (ahead_q == '0) begin
        marked_q <= 1'b0;
        over_q   <= 1'b1;
      end else begin
        ahead_q <= ahead_q - 1'b1;
      end
    end
  end

  always_comb begin
    if (wrote) nothing_is_written_into_a_full_one : assert (count_q != CountBits'(Depth));
    if (reads) nothing_is_read_from_an_empty_one : assert (count_q != '0);
    if (reads && marked_q && ahead_q == '0) the_marked_word_comes_in_its_place : assert (got_q == marked_word_q);
  end

endmodule

`default_nettype wire
