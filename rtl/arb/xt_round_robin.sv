// SPDX-License-Identifier: Apache-2.0
//
// Round-robin arbiter: xt_arbiter with its pointer. The pointer moves just past the served requester, and only
// when the caller says so.
//
// Fairness: a steady request is served after at most Width - 1 others, however many request. A pointer that is not
// one-hot, after an upset, still chooses one requester, and is set anew by its service.
// Latency: combinational; the pointer is registered.
// Speed: as xt_arbiter.
`default_nettype none

module xt_round_robin #(
  /// Number of requesters.
  parameter int Width = 4
) (
  /// Clock.
  input  logic             clk_i,
  /// Reset, active low, synchronous.
  input  logic             rst_ni,
  /// Requests.
  input  logic [Width-1:0] request_i,
  /// One-hot winner; zero without a request.
  output logic [Width-1:0] grant_o,
  /// Move the pointer just past served_i.
  input  logic             advance_i,
  /// One-hot: the served requester.
  input  logic [Width-1:0] served_i
);

  logic [Width-1:0] last_q;  // one-hot

  xt_arbiter #(
    .Width(Width)
  ) i_arbiter (
    .request_i,
    .last_i (last_q),
    .grant_o
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) last_q <= Width'(1) << (Width - 1);
    else if (advance_i) last_q <= served_i;
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      round_robin_grants_a_requester : assert ((grant_o & ~request_i) == '0);
      round_robin_grants_one : assert ((grant_o & (grant_o - 1'b1)) == '0);
      round_robin_work_conserving : assert ((request_i == '0) == (grant_o == '0));
    end
  end
`endif

endmodule

`default_nettype wire
