// SPDX-License-Identifier: Apache-2.0
//
// Reports an input that holds packets and serves none for a number of cycles. The report comes once. The watchdog
// rearms when a packet is served or no packet is left.
//
// Latency: the pulse comes 2 cycles after the limit's last cycle.
// Speed: a counter and, in the next cycle, a comparison.
`default_nettype none

module xt_stall_watchdog #(
  /// Bits of the limit.
  parameter int LimitBits = 16
) (
  /// Clock.
  input  logic        clk_i,
  /// Reset, active low, synchronous.
  input  logic        rst_ni,
  /// The input holds packets.
  input  logic        nonempty_i,
  /// A cell left the input.
  input  logic        served_i,
  /// Cycles without a leaving cell until the pulse; 0: never.
  input  logic [LimitBits-1:0] limit_i,
  /// The cycles of the limit have passed.
  output logic        timeout_o
);

  logic [LimitBits-1:0] stalled_q;
  logic        said_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stalled_q <= '0;
      said_q    <= 1'b0;
      timeout_o <= 1'b0;
    end else begin
      timeout_o <= (limit_i != '0) & (stalled_q == limit_i);
      if (!nonempty_i || served_i) begin
        stalled_q <= '0;
        said_q    <= 1'b0;
      end else if (!said_q) begin
        stalled_q <= stalled_q + 1'b1;
        said_q    <= (limit_i != '0) & (stalled_q == limit_i);
      end
    end
  end

endmodule

`default_nettype wire
