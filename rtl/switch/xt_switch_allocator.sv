// SPDX-License-Identifier: Apache-2.0
//
// The middle of a switch: what inputs request, in registers, and the matching of those inputs and outputs
// that are free. The request tells whether the start may keep input and output from the next matching. The
// choice at the match would come from the inputs and be late.
//
// Latency: 1 cycle from request_i to match_o.
// Speed: an AND of request, free input and free output, iterations of iSLIP, an AND with what is long, an OR.
// All of it belongs side by side: synthesis for a large card maps this module apart from the inputs. What they say late
// is no part of it, for here it would be taken for early.
`default_nettype none

module xt_switch_allocator #(
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
  /// The packet of such a pair may have more than one cell. Ordered as the requests.
  input  logic [Inputs*Outputs-1:0] long_i,
  /// Matches; at most one per input and per output.
  output logic [Inputs*Outputs-1:0] match_o,
  /// Inputs with a match of what may have more than one cell.
  output logic [        Inputs-1:0] input_starts_o,
  /// Outputs with a match of what may have more than one cell.
  output logic [       Outputs-1:0] output_starts_o
);

  logic [Inputs*Outputs-1:0] request_q, long_q, open, starts;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) request_q <= '0;
    else request_q <= request_i;
    long_q <= long_i;
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

  assign starts = match_o & long_q;
  always_comb begin
    output_starts_o = '0;
    for (int i = 0; i < Inputs; i++) begin
      output_starts_o   = output_starts_o | starts[i*Outputs+:Outputs];
      input_starts_o[i] = starts[i*Outputs+:Outputs] != '0;
    end
  end

endmodule

`default_nettype wire
