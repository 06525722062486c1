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
  parameter logic [Counters-1:0] Present = '1,
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

  logic [Counters*ShortBits-1:0] short_q;
  logic [ Counters*LongBits-1:0] long_q;

  always_comb begin
    tail_o = 1'b0;
    if (NoSkip || shift_i != '0) begin
      for (int c = 0; c < Counters; c++) tail_o = tail_o | (shift_i[c] & long_q[c*LongBits+LongBits-1]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      short_q <= '0;
      long_q  <= '0;
    end else if (NoSkip || ((event_i | shift_i) & Present) != '0) begin
      for (int c = 0; c < Counters; c++) begin
        if (Present[c] && (event_i[c] || shift_i[c])) begin
          short_q[c*ShortBits+:ShortBits] <= {short_q[c*ShortBits+:ShortBits-1],
              ~shift_i[c] & ~(short_q[c*ShortBits+ShortBits-1] ^ short_q[c*ShortBits+ShortTap])};
          long_q[c*LongBits+:LongBits] <= {long_q[c*LongBits+:LongBits-1],
              shift_i[c] ? short_q[c*ShortBits+ShortBits-1] : ~(long_q[c*LongBits+LongBits-1] ^ long_q[c*LongBits+LongTap])};
        end
      end
    end
  end

endmodule

`default_nettype wire
