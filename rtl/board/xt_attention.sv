// SPDX-License-Identifier: Apache-2.0
//
// Tells the host of events of a card: at once after a quiet time, then once in every 2^QuietBits cycles at most. So a link
// that comes and goes, or a stream of errors, does not fill the way to the host. No event stays untold.
//
// Latency: 1 cycle, or the rest of the quiet time.
`default_nettype none

module xt_attention #(
  /// Logarithm of the cycles from one pulse to the next.
  parameter int QuietBits = 16
) (
  /// Clock.
  input  logic clk_i,
  /// Reset, active low, synchronous.
  input  logic rst_ni,
  /// An event.
  input  logic event_i,
  /// A pulse: there was an event since the last pulse.
  output logic attention_o,
  /// An event is to be told: the clock must not rest.
  output logic waits_o
);

  logic                 waits_q;
  logic [QuietBits-1:0] quiet_q;  // cycles until the next pulse

  assign waits_o = waits_q | attention_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waits_q     <= 1'b0;
      quiet_q     <= '0;
      attention_o <= 1'b0;
    end else begin
      attention_o <= (waits_q | event_i) && quiet_q == '0;
      waits_q     <= (waits_q | event_i) && quiet_q != '0;
      if (quiet_q != '0) quiet_q <= quiet_q - 1'b1;
      else if (waits_q || event_i) quiet_q <= '1;
    end
  end

endmodule

`default_nettype wire
