// SPDX-License-Identifier: Apache-2.0
//
// Gathers the events of one counter until xt_counter_bank collects them. Two feedback shift registers of
// ShortBits and ShortBits + 1 bits advance together, one step per event. Their periods, 2^ShortBits - 1 and
// 2^(ShortBits+1) - 1, have no common divisor, so the pair counts to the product before a repetition. Three
// lookup tables suffice at any width. xt_counter_bank turns the pair into a number.
//
// A collection shifts both out through one wire and shifts zeros in, the state of no event. Events during a collection
// are not counted here.
//
// Latency: counted at the end of the cycle of the event; a collection takes 2*ShortBits + 1 cycles.
// Speed: one lookup table.
`default_nettype none

module xt_event_counter #(
  /// Bits of the shorter register; the other one has one more.
  parameter int ShortBits = 5
) (
  /// Clock.
  input  logic clk_i,
  /// Reset, active low, synchronous.
  input  logic rst_ni,
  /// An event, unless shift_i.
  input  logic event_i,
  /// Shift out: the longer register first, from its high bit, then the shorter.
  input  logic shift_i,
  /// The bit to be shifted out next.
  output logic tail_o
);

  localparam int LongBits = ShortBits + 1;
  // A register of 5 bits has its taps at 5 and 3, the others of 2 to 7 bits at the two highest bits.
  localparam int ShortTap = (ShortBits == 5) ? 2 : ShortBits - 2;
  localparam int LongTap = (LongBits == 5) ? 2 : LongBits - 2;

  if (ShortBits < 2 || ShortBits > 6) begin : g_illegal
    xt_event_counter_taps_are_known_for_2_to_6_bits i_illegal ();
  end

  logic [ShortBits-1:0] short_q;
  logic [ LongBits-1:0] long_q;
  assign tail_o   = long_q[LongBits-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      short_q <= '0;
      long_q  <= '0;
    end else if (event_i || shift_i) begin
      short_q <= {short_q[ShortBits-2:0], ~shift_i & ~(short_q[ShortBits-1] ^ short_q[ShortTap])};
      long_q  <= {long_q[LongBits-2:0],
                  shift_i ? short_q[ShortBits-1] : ~(long_q[LongBits-1] ^ long_q[LongTap])};
    end
  end

endmodule

`default_nettype wire
