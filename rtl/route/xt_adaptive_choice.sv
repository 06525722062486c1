// SPDX-License-Identifier: Apache-2.0
//
// Chooses the port of an adaptive packet among its candidates. The first group with a candidate wins. Within the
// group the low range of occupancy comes first, and within a range round robin decides.
//
// Fairness: inside a group and a range all candidates of a steady stream of packets are taken in turn.
// Latency: combinational; the pointer and the order that follows from the pointer are registered.
// Speed: all groups choose in parallel, each by an order of range and round robin. One rule after the other would take
// twice as many levels.
`default_nettype none

module xt_adaptive_choice #(
  /// Number of ports to choose from.
  parameter int Ports = 4
) (
  /// Clock.
  input  logic             clk_i,
  /// Reset, active low, synchronous.
  input  logic             rst_ni,
  /// Candidate ports. Arrives late.
  input  logic [Ports-1:0] candidates_i,
  /// Ports in the low range.
  input  logic [Ports-1:0] low_i,
  /// Ports to be tried first.
  input  logic [Ports-1:0] group0_i,
  /// Ports to be tried if there is no candidate in group 0; then come all others.
  input  logic [Ports-1:0] group1_i,
  /// The choice is taken.
  input  logic             take_i,
  /// The choice, one-hot; zero without a candidate.
  output logic [Ports-1:0] chosen_o
);

  localparam int Pairs = (Ports > 1) ? Ports * (Ports - 1) / 2 : 1;
  // Orders as xt_matrix_arbiter takes them: behind the last choice, then with the ranges put first.
  logic [Pairs-1:0] order_q, order, ranked;
  logic [Ports-1:0] best0, best1, best2;  // of each group's candidates
  wire  [Ports-1:0] first = candidates_i & group0_i;
  wire  [Ports-1:0] second = candidates_i & group1_i;

  if (Ports == 1) begin : g_alone
    assign ranked = order_q;
  end
  for (genvar j = 1; j < Ports; j++) begin : g_higher
    for (genvar i = 0; i < j; i++) begin : g_lower
      assign ranked[j*(j-1)/2+i] = (low_i[j] == low_i[i]) ? order_q[j*(j-1)/2+i] : low_i[j];
    end
  end

  xt_matrix_arbiter #(
    .Width(Ports)
  ) i_group0 (
    .request_i(first),
    .order_i  (ranked),
    .grant_o  (best0)
  );
  xt_matrix_arbiter #(
    .Width(Ports)
  ) i_group1 (
    .request_i(second),
    .order_i  (ranked),
    .grant_o  (best1)
  );
  xt_matrix_arbiter #(
    .Width(Ports)
  ) i_others (
    .request_i(candidates_i),
    .order_i  (ranked),
    .grant_o  (best2)
  );
  assign chosen_o = best0 | ({Ports{first == '0}} & (best1 | ({Ports{second == '0}} & best2)));

  xt_round_robin_order #(
    .Width(Ports)
  ) i_order (
    .last_i (chosen_o),
    .order_o(order)
  );
  always_ff @(posedge clk_i) begin
    // No order of the ports leaves a candidate without a choice; after an upset order_q may be none.
    if (!rst_ni || (candidates_i != '0 && chosen_o == '0)) order_q <= '0;
    else if (take_i) order_q <= order;
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      adaptive_choice_is_a_candidate : assert ((chosen_o & ~candidates_i) == '0);
      adaptive_choice_is_one : assert ((chosen_o & (chosen_o - 1'b1)) == '0);
      adaptive_choice_is_made : assert ((chosen_o != '0) == (candidates_i != '0));
      adaptive_choice_taken_is_there : assert (!take_i || candidates_i != '0);
    end
  end
`endif

endmodule

`default_nettype wire
