// SPDX-License-Identifier: Apache-2.0
//
// iSLIP (McKeown 1999): every output grants one requesting input, every input accepts one granting
// output, both round robin, for a number of iterations in one cycle.
//
// Fairness: the pointers move just past the partner, and only when a grant of the first iteration is
// accepted; so a pair at the head of a pointer keeps its priority until it is served, no request
// starves, and under load the pointers drift apart until every output picks another input.
// Latency: combinational, Iterations x (grant + accept). This is the longest path of the switch: one
// iteration is about eight levels of logic for seven ports.
`default_nettype none

module xt_islip #(
  /// Number of inputs.
  parameter int Inputs = 4,
  /// Number of outputs.
  parameter int Outputs = 4,
  /// Iterations in one cycle.
  parameter int Iterations = 1
) (
  /// Clock.
  input  logic                      clk_i,
  /// Reset, active low, synchronous.
  input  logic                      rst_ni,
  /// Requests: bit i*Outputs + o is input i's for output o.
  input  logic [Inputs*Outputs-1:0] request_i,
  /// Matches, ordered as the requests; at most one per input and per output.
  output logic [Inputs*Outputs-1:0] match_o
);

  if (Iterations < 1 || Iterations > Inputs) begin : g_illegal
    xt_islip_needs_1_to_Inputs_iterations i_illegal ();
  end

  // Bit k of a pointer mask is set when partner k is at or above the pointer.
  logic [Inputs*Outputs-1:0] grant_above_q;  // output-major: bit o*Inputs + i
  logic [Inputs*Outputs-1:0] accept_above_q;  // input-major: bit i*Outputs + o

  logic [Inputs*Outputs-1:0] match, initial_match;
  logic [        Inputs-1:0] input_taken;
  logic [       Outputs-1:0] output_taken;
  logic [Inputs*Outputs-1:0] grants;
  logic [        Inputs-1:0] column, column_upper, column_grant;
  logic [       Outputs-1:0] row, row_upper, row_accept;

  // Bits above the lowest set one, by smearing upwards: a carry chain would be slower and larger.
  function automatic logic [Inputs-1:0] above_input(input logic [Inputs-1:0] bits);
    above_input = bits << 1;
    for (int k = 1; k < Inputs; k = k * 2) above_input = above_input | (above_input << k);
  endfunction
  function automatic logic [Outputs-1:0] above_output(input logic [Outputs-1:0] bits);
    above_output = bits << 1;
    for (int k = 1; k < Outputs; k = k * 2) above_output = above_output | (above_output << k);
  endfunction

  always_comb begin
    match        = '0;
    initial_match  = '0;
    input_taken  = '0;
    output_taken = '0;
    grants       = '0;
    column       = '0;
    column_upper = '0;
    column_grant = '0;
    row          = '0;
    row_upper    = '0;
    row_accept   = '0;
    for (int n = 0; n < Iterations; n++) begin
      grants = '0;
      for (int o = 0; o < Outputs; o++) begin
        for (int i = 0; i < Inputs; i++) column[i] = request_i[i*Outputs+o];
        column = output_taken[o] ? '0 : (column & ~input_taken);
        if (column != '0) begin
          column_upper = column & grant_above_q[o*Inputs+:Inputs];
          if (column_upper != '0) column = column_upper;
          column_grant = column & ~above_input(column);
          for (int i = 0; i < Inputs; i++) grants[i*Outputs+o] = column_grant[i];
        end
      end
      for (int i = 0; i < Inputs; i++) begin
        row = grants[i*Outputs+:Outputs];
        if (row != '0) begin
          row_upper  = row & accept_above_q[i*Outputs+:Outputs];
          if (row_upper != '0) row = row_upper;
          row_accept = row & ~above_output(row);
          match[i*Outputs+:Outputs] = row_accept;
          input_taken[i]            = 1'b1;
          output_taken              = output_taken | row_accept;
        end
      end
      if (n == 0) initial_match = match;
    end
  end

  assign match_o = match;

  for (genvar i = 0; i < Inputs; i++) begin : g_accept_pointer
    wire [Outputs-1:0] accepted = match_o[i*Outputs+:Outputs] & initial_match[i*Outputs+:Outputs];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) accept_above_q[i*Outputs+:Outputs] <= '1;
      else if (accepted != '0) accept_above_q[i*Outputs+:Outputs] <= above_output(accepted);
    end
  end

  for (genvar o = 0; o < Outputs; o++) begin : g_grant_pointer
    wire [Inputs-1:0] accepted;
    for (genvar i = 0; i < Inputs; i++) begin : g_column
      assign accepted[i] = match_o[i*Outputs+o] & initial_match[i*Outputs+o];
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) grant_above_q[o*Inputs+:Inputs] <= '1;
      else if (accepted != '0) grant_above_q[o*Inputs+:Inputs] <= above_input(accepted);
    end
  end

`ifdef XT_ASSERT
  logic [ Inputs-1:0] input_matched_twice;
  logic [Outputs-1:0] output_matched_twice;
  for (genvar i = 0; i < Inputs; i++) begin : g_check_input
    wire [Outputs-1:0] matched = match_o[i*Outputs+:Outputs];
    assign input_matched_twice[i] = (matched & (matched - 1'b1)) != '0;
  end
  for (genvar o = 0; o < Outputs; o++) begin : g_check_output
    wire [Inputs-1:0] matched;
    for (genvar i = 0; i < Inputs; i++) begin : g_column
      assign matched[i] = match_o[i*Outputs+o];
    end
    assign output_matched_twice[o] = (matched & (matched - 1'b1)) != '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      islip_matches_requests : assert ((match_o & ~request_i) == '0);
      islip_one_output_per_input : assert (input_matched_twice == '0);
      islip_one_input_per_output : assert (output_matched_twice == '0);
    end
  end
`endif

endmodule

`default_nettype wire
