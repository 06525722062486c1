// SPDX-License-Identifier: Apache-2.0
//
// Chooses the port of an adaptive packet among its candidates. The first group with a candidate wins. Within the
// group the low range of occupancy comes first, and within a range round robin decides.
//
// Fairness: inside a group and a range all candidates of a steady stream of packets are taken in turn.
// Latency: combinational; the pointer and the order that follows from the pointer are registered.
// Speed: one order has all rules: group, then range, then round robin. The order is ready before the candidates, which then
// take the two levels of xt_matrix_arbiter.
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
  // Orders as xt_matrix_arbiter takes them: behind the last choice, then with groups and ranges put first.
  logic [Pairs-1:0] order_q, order, ranked;

  if (Ports == 1) begin : g_alone
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{low_i, group0_i, group1_i};
    // verilator lint_on UNUSEDSIGNAL
  end
`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips an order that nobody looks at
`endif

  logic group_before, group_behind;  // j's group comes before that of i, or behind
  // Why always @*: rtl/README.md.
  always @* begin : rank
    int i, j;
    i            = 0;
    j            = 0;
    ranked       = order_q;
    group_before = 1'b0;
    group_behind = 1'b0;
    if (NoSkip || candidates_i != '0) begin
      for (j = 1; j < Ports; j = j + 1) begin
        for (i = 0; i < Ports; i = i + 1) begin
          group_before = group0_i[i] ? 1'b0 : group0_i[j] | (group1_i[j] & ~group1_i[i]);
          group_behind = group0_i[j] ? 1'b0 : group0_i[i] | (group1_i[i] & ~group1_i[j]);
          if (i < j) ranked[j*(j-1)/2+i] = group_before
                   | (~group_behind & ((low_i[j] == low_i[i]) ? order_q[j*(j-1)/2+i] : low_i[j]));
        end
      end
    end
  end

  xt_matrix_arbiter #(
    .Width(Ports)
  ) i_arbiter (
    .request_i(candidates_i),
    .order_i  (ranked),
    .grant_o  (chosen_o)
  );

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
