// SPDX-License-Identifier: Apache-2.0
//
// The middle of a switch: what inputs request, and which inputs and outputs are free, in registers; the matching; and who
// is busy with it.
//
// An input or output is busy from a match until the stream that starts has one cell to go. What is matched next is known
// when this cycle's match is. Requests and who is free have registers of their own: the ones come from the queues, the
// others from the matching, and neither waits for the other.
//
// Latency: 1 cycle from request_i to match_o; streams of one cell follow each other without a gap.
// Speed: an AND of request, free input and free output, iterations of iSLIP, an AND with what a match would start, an OR
// of what an input or output is busy with. All of it belongs side by side: synthesis for a large card maps this module
// apart from the inputs, which say beforehand what a match would start.
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
  /// What a pair would start, were it matched in this cycle, goes beyond the next one. Ordered as the requests.
  input  logic [Inputs*Outputs-1:0] would_go_on_i,
  /// Output that an input's stream goes to; zero if it is dropped.
  input  logic [Inputs*Outputs-1:0] stream_i,
  /// An input's stream goes beyond the next cycle. Late.
  input  logic [        Inputs-1:0] goes_on_i,
  /// An input drops what goes beyond it.
  input  logic [        Inputs-1:0] drops_i,
  /// Matches; at most one per input and per output.
  output logic [Inputs*Outputs-1:0] match_o
);

  logic [Inputs*Outputs-1:0] request_q, open, starts;
  logic [        Inputs-1:0] input_busy, input_free_q;
  logic [       Outputs-1:0] output_busy, output_free_q;

  for (genvar i = 0; i < Inputs; i++) begin : g_open
    assign open[i*Outputs+:Outputs] = request_q[i*Outputs+:Outputs] & output_free_q & {Outputs{input_free_q[i]}};
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
    output_busy = '0;
    for (int i = 0; i < Inputs; i++) begin
      output_busy   = output_busy | starts[i*Outputs+:Outputs] | (stream_i[i*Outputs+:Outputs] & {Outputs{goes_on_i[i]}});
      input_busy[i] = goes_on_i[i] | drops_i[i] | (starts[i*Outputs+:Outputs] != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) request_q <= '0;
    else request_q <= request_i;
    input_free_q  <= ~input_busy;
    output_free_q <= ~output_busy;
  end

endmodule

`default_nettype wire
