// SPDX-License-Identifier: Apache-2.0
//
// Tells that nothing has happened in a card for QuietCycles: no traffic, or nothing at all.
//
// Latency: 1 cycle from activity to the outputs.
// Speed: a comparison of five bits.
`default_nettype none

module xt_idle_detector (
  /// Clock.
  input  logic       clk_i,
  /// Reset, active low, synchronous.
  input  logic       rst_ni,
  /// Traffic, one bit per part of the card.
  input  logic [3:0] traffic_i,
  /// Other activity: signs of life of the links, registers, counters.
  input  logic [1:0] other_i,
  /// No traffic for QuietCycles.
  output logic       traffic_quiet_o,
  /// Nothing for QuietCycles.
  output logic       idle_o
);

  // Cycles without activity until the card reports idle: more than the depth of any pipeline.
  localparam logic [4:0] QuietCycles = 5'd16;

  // The last of these cycles is not in the counters yet, but in traffic_q and other_q.
  logic [4:0] traffic_quiet_q, quiet_q;
  logic [3:0] traffic_q;  // activity of the cycle before
  logic [1:0] other_q;

  assign traffic_quiet_o = traffic_quiet_q == QuietCycles - 1'b1 && traffic_q == '0;
  assign idle_o          = quiet_q == QuietCycles - 1'b1 && traffic_q == '0 && other_q == '0;

  always_ff @(posedge clk_i) begin
    traffic_q <= traffic_i;
    other_q   <= other_i;
    if (!rst_ni) begin
      traffic_quiet_q <= '0;
      quiet_q         <= '0;
    end else begin
      if (traffic_q != '0) traffic_quiet_q <= '0;
      else if (!traffic_quiet_o) traffic_quiet_q <= traffic_quiet_q + 1'b1;
      if (traffic_q != '0 || other_q != '0) quiet_q <= '0;
      else if (!idle_o) quiet_q <= quiet_q + 1'b1;
    end
  end

endmodule

`default_nettype wire
