// SPDX-License-Identifier: Apache-2.0
//
// The middle of a switch: what inputs request, in registers, and the matching of those inputs and outputs that are free.
// Whether what starts keeps them from the next matching is known in the same cycle.
//
// Latency: 1 cycle from request_i to match_o.
// Speed: an AND of request, free input and free output, iterations of iSLIP, an AND with what a match would start, an OR.
// All of it belongs side by side: synthesis for a large card maps this module apart from the inputs, and so takes all that
// they say, would_go_on_i above all, for as early as a register. What they say latest is no part of it.
`default_nettype none

module xt_matching #(
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
  /// Pairs that may start a stream in the next cycle, should both be free: bit i*Outputs + o is input i's for output o.
  input  logic [Inputs*Outputs-1:0] request_i,
  /// Inputs that are free.
  input  logic [        Inputs-1:0] input_free_i,
  /// Outputs that are free.
  input  logic [       Outputs-1:0] output_free_i,
  /// What a pair would start, were it matched in this cycle, goes beyond the next one. Ordered as the requests.
  input  logic [Inputs*Outputs-1:0] would_go_on_i,
  /// Matches; at most one per input and per output.
  output logic [Inputs*Outputs-1:0] match_o,
  /// Inputs with a match that goes beyond the next cycle.
  output logic [        Inputs-1:0] input_starts_o,
  /// Outputs with a match that goes beyond the next cycle.
  output logic [       Outputs-1:0] output_starts_o
);

  logic [Inputs*Outputs-1:0] request_q, open, starts;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) request_q <= '0;
    else request_q <= request_i;
  end
  for (genvar i = 0; i < Inputs; i++) begin : g_open
    assign open[i*Outputs+:Outputs] = request_q[i*Outputs+:Outputs] & output_free_i & {Outputs{input_free_i[i]}};
  end

  xt_islip #(
    .Inputs    (Inputs),
    .Outputs   (Outputs),
    .Iterations(Iterations)
  ) i_islip (
    .clk_i,
    .rst_ni,
    .request_i(open),
    .match_o
  );

  assign starts = match_o & would_go_on_i;
  always_comb begin
    output_starts_o = '0;
    for (int i = 0; i < Inputs; i++) begin
      output_starts_o   = output_starts_o | starts[i*Outputs+:Outputs];
      input_starts_o[i] = starts[i*Outputs+:Outputs] != '0;
    end
  end

endmodule

`default_nettype wire
