// SPDX-License-Identifier: Apache-2.0
//
// Gathers the events of some counters until xt_counter_bank collects them. Of each counter two feedback shift registers of
// ShortBits and ShortBits + 1 bits advance together, one step per event. Their periods, 2^ShortBits - 1 and
// 2^(ShortBits+1) - 1, have no common divisor, so the pair counts to the product before a repetition. Three
// lookup tables suffice at any width. xt_counter_bank turns the pair into a number.
//
// A collection shifts both out through one wire and shifts zeros in, the state of no event. Events of a counter during its
// collection are not counted here.
//
// Latency: counted at the end of the cycle of the event; a collection takes 2*ShortBits + 1 cycles.
// Speed: one lookup table; an OR of Counters gated bits.
`default_nettype none

module xt_event_counters #(
  /// Number of counters.
  parameter int Counters = 3,
  /// Those that can have events.
  parameter logic [Counters-1:0] Present = {Counters{1'b1}},
  /// Bits of the shorter register; the other one has one more.
  parameter int ShortBits = 5
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,
  /// Events.
  input  logic [Counters-1:0] event_i,
  /// Counter to shift out, one-hot: the longer register first, from its high bit, then the shorter.
  input  logic [Counters-1:0] shift_i,
  /// The bit to be shifted out next, zero without a counter.
  output logic                tail_o
);

  localparam int LongBits = ShortBits + 1;
  // A register of 5 bits has its taps at 5 and 3, the others of 2 to 7 bits at the two highest bits.
  localparam int ShortTap = (ShortBits == 5) ? 2 : ShortBits - 2;
  localparam int LongTap = (LongBits == 5) ? 2 : LongBits - 2;

  if (ShortBits < 2 || ShortBits > 6) begin : g_illegal
    xt_event_counters_taps_are_known_for_2_to_6_bits i_illegal ();
  end

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips counters without an event
`endif

  // A bit of all counters is a vector, so that a simulator moves the counters together. In hardware each counter has an enable.
  // The bits of the shorter register come first.
  logic [Counters-1:0] moves, short_out, long_out;

  assign moves     = (event_i | shift_i) & Present;
  assign short_out = g_bit[ShortBits-1].bit_q;
  assign long_out  = g_bit[ShortBits+LongBits-1].bit_q;
  assign tail_o    = (shift_i & long_out) != '0;

  for (genvar b = 0; b < ShortBits + LongBits; b++) begin : g_bit
    logic [Counters-1:0] bit_q, shifted;
    if (b == 0) begin : g_short
      assign shifted = ~shift_i & ~(short_out ^ g_bit[ShortTap].bit_q);
    end else if (b == ShortBits) begin : g_long
      assign shifted = (shift_i & short_out) | (~shift_i & ~(long_out ^ g_bit[ShortBits+LongTap].bit_q));
    end else begin : g_further
      assign shifted = g_bit[b-1].bit_q;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) bit_q <= '0;
      else if (!NoSkip) begin
        if (moves != '0) bit_q <= (shifted & moves) | (bit_q & ~moves);
      end else begin
        for (int c = 0; c < Counters; c++) if (moves[c]) bit_q[c] <= shifted[c];
      end
    end
  end

endmodule

`default_nettype wire
