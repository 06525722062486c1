// SPDX-License-Identifier: Apache-2.0
//
// xt_adaptive_choice against its rule, stated one port after the other. Groups come in order. Within a group
// the low range comes before the high one. Within a range the search begins behind the last choice.
`default_nettype none

module adaptive_choice_proof #(
  parameter int Ports = 5
) (
  input logic             clk_i,
  input logic [Ports-1:0] candidates_i,
  input logic [Ports-1:0] low_i,
  input logic [Ports-1:0] group0_i,
  input logic [Ports-1:0] group1_i,
  input logic             take_i
);

  logic             rst_n = 1'b0;
  logic [Ports-1:0] chosen;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  wire take = take_i && candidates_i != '0;
  xt_adaptive_choice #(
    .Ports(Ports)
  ) i_dut (
    .clk_i,
    .rst_ni      (rst_n),
    .candidates_i,
    .low_i,
    .group0_i,
    .group1_i,
    .take_i      (take),
    .chosen_o    (chosen)
  );

  // The port behind the last choice, and the candidates in the order in which they are asked from it on.
  logic [      3:0] next;
  logic [Ports-1:0] expected, group;
  always_comb begin
    expected = '0;
    for (int g = 0; g < 3; g++) begin
      group = (g == 0) ? group0_i : (g == 1) ? group1_i : {Ports{1'b1}};
      for (int range = 0; range < 2; range++) begin
        for (int k = 0; k < 2 * Ports; k++) begin
          if (k >= 32'(next) && expected == '0 && candidates_i[k%Ports] && group[k%Ports] && low_i[k%Ports] == (range == 0))
            expected[k%Ports] = 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n) next <= '0;
    else if (take) begin
      for (int k = 0; k < Ports; k++) if (expected[k]) next <= (k == Ports - 1) ? '0 : 4'(k + 1);
    end
  end

  always_comb begin
    if (rst_n) choice_is_that_of_the_rule : assert (chosen == expected);
  end

endmodule

`default_nettype wire
