// SPDX-License-Identifier: Apache-2.0
//
// FIFO between two clocks. Its pointers cross as Gray codes through two registers. One bit changes at a
// time, so a pointer sampled during a change is the old or the new one. Neither side sees more free words or more bytes
// than the FIFO has. A reset empties its side at once, although the clock of that side may rest, and ends by that clock.
// Both sides must be reset together. The side whose reset ends first sees an empty FIFO.
//
// Latency: a cycle of the writing and three of the reading clock. A byte per cycle of either clock.
// Speed: a comparison of two Gray codes, an increment, and the Gray code of the sum.
`default_nettype none

module xt_async_fifo #(
  /// Bits of a word.
  parameter int Width = 8,
  /// Words, a power of two.
  parameter int Depth = 16,
  /// Bits of an address.
  localparam int AddrBits = $clog2(Depth)
) (
  /// Clock of the writing side.
  input  logic             write_clk_i,
  /// Reset of this clock, active low, asynchronous on, synchronous off.
  input  logic             write_rst_ni,
  /// A word.
  input  logic             valid_i,
  /// The FIFO takes the word.
  output logic             ready_o,
  /// The word.
  input  logic [Width-1:0] word_i,

  /// Clock of the reading side.
  input  logic             read_clk_i,
  /// Reset of this clock, active low, asynchronous on, synchronous off.
  input  logic             read_rst_ni,
  /// A word is there.
  output logic             valid_o,
  /// The offered item is taken.
  input  logic             ready_i,
  /// The word.
  output logic [Width-1:0] word_o
);

  if (Depth != (32'd1 << AddrBits) || Depth < 4) begin : g_illegal
    xt_async_fifo_depth_must_be_a_power_of_two_from_4_on i_illegal ();
  end
  if (Width < 1) begin : g_illegal_width
    xt_async_fifo_has_words_of_a_bit_at_least i_illegal ();
  end

  function automatic logic [AddrBits:0] gray(input logic [AddrBits:0] number);
    gray = number ^ {1'b0, number[AddrBits:1]};
  endfunction

  logic [Width-1:0]  mem [Depth];
  logic [AddrBits:0] write_q, write_gray_q, write_seen_q, write_sync_q;  // one bit more than an address
  logic [AddrBits:0] read_q, read_gray_q, read_seen_q, read_sync_q;
  logic [AddrBits:0] write_d, read_d;
  logic              write, read;

  // Full: the two highest bits of the Gray codes differ, the others are the same.
  assign ready_o = write_gray_q != (read_sync_q ^ {2'b11, {(AddrBits - 1){1'b0}}});
  assign write   = valid_i & ready_o;
  assign write_d = write_q + {{AddrBits{1'b0}}, write};

  always_ff @(posedge write_clk_i or negedge write_rst_ni) begin
    if (!write_rst_ni) begin
      write_q      <= '0;
      write_gray_q <= '0;
      read_seen_q  <= '0;
      read_sync_q  <= '0;
    end else begin
      write_q      <= write_d;
      write_gray_q <= gray(write_d);
      read_seen_q  <= read_gray_q;
      read_sync_q  <= read_seen_q;
    end
  end
  always_ff @(posedge write_clk_i) begin
    if (write) mem[write_q[AddrBits-1:0]] <= word_i;
  end

  assign valid_o = read_gray_q != write_sync_q;
  assign read    = valid_o & ready_i;
  assign read_d  = read_q + {{AddrBits{1'b0}}, read};
  assign word_o  = mem[read_q[AddrBits-1:0]];

  always_ff @(posedge read_clk_i or negedge read_rst_ni) begin
    if (!read_rst_ni) begin
      read_q       <= '0;
      read_gray_q  <= '0;
      write_seen_q <= '0;
      write_sync_q <= '0;
    end else begin
      read_q       <= read_d;
      read_gray_q  <= gray(read_d);
      write_seen_q <= write_gray_q;
      write_sync_q <= write_seen_q;
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge write_clk_i) begin
    if (write_rst_ni) begin
      async_fifo_never_overflows :
      assert ((write_q - read_q) <= Depth[AddrBits:0]);
    end
  end
`endif

endmodule

`default_nettype wire
