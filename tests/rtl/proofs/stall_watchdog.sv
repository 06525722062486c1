// SPDX-License-Identifier: Apache-2.0
//
// xt_stall_watchdog against a plain count of the cycles in which the input held packets and served none. The
// watchdog reports two cycles after the limit is reached, once per episode.
`default_nettype none

module stall_watchdog_proof (
  input logic       clk_i,
  input logic       nonempty_i,
  input logic       served_i,
  input logic [2:0] limit_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // It is set once.
  logic [2:0] limit;
  logic       set = 1'b0;
  always_ff @(posedge clk_i) begin
    set <= 1'b1;
    if (!set) limit <= limit_i;
  end

  logic timeout;
  xt_stall_watchdog #(
    .LimitBits(3)
  ) i_dut (
    .clk_i,
    .rst_ni    (rst_n),
    .nonempty_i,
    .served_i,
    .limit_i   (limit),
    .timeout_o (timeout)
  );

  // Stalled cycles of this episode, as far as they matter.
  logic [3:0] stalled = '0;
  logic       due, due_q = 1'b0;
  assign due = stalled == 4'(limit) && limit != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || !nonempty_i || served_i) stalled <= '0;
    else if (stalled != 4'd8) stalled <= stalled + 1'b1;
    due_q <= due && rst_n;
  end

  always_comb begin
    if (rst_n) says_when_due : assert (timeout == due_q);
  end

endmodule

`default_nettype wire
