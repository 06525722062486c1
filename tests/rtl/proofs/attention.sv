// SPDX-License-Identifier: Apache-2.0
//
// xt_attention: an event after a quiet time is told in the next cycle, every event is told within a quiet time, nothing is
// told without an event, a quiet time lies between two pulses, and an event that is to be told shows.
`default_nettype none

module attention_proof #(
  parameter int QuietBits = 3
) (
  input logic clk_i,
  input logic event_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic attention, waits;
  xt_attention #(
    .QuietBits(QuietBits)
  ) i_dut (
    .clk_i,
    .rst_ni     (rst_n),
    .event_i,
    .attention_o(attention),
    .waits_o    (waits)
  );

  // Cycles since the oldest event that is not told, and since the last pulse.
  localparam int Quiet = 2 ** QuietBits;
  logic untold = 1'b0, told = 1'b0;
  logic [QuietBits+1:0] waited = '0, since = '0;
  always_ff @(posedge clk_i) begin
    untold <= rst_n & (event_i | (untold & ~attention));
    waited <= (untold && !attention) ? waited + 1'b1 : '0;
    told   <= rst_n & (told | attention);
    since  <= attention ? '0 : (32'(since) < 2 * Quiet) ? since + 1'b1 : since;
  end

  always_comb begin
    if (rst_n) begin
      every_event_is_told : assert (!untold || attention || 32'(waited) < Quiet);
      an_untold_event_shows : assert (!untold || waits);
      without_an_event_nothing_is_told : assert (!attention || untold);
      pulses_are_apart : assert (!attention || !told || 32'(since) >= Quiet - 1);
      at_once_after_a_quiet_time : assert (!untold || attention || told && 32'(since) < Quiet);
    end
  end

endmodule

`default_nettype wire
