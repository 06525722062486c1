// SPDX-License-Identifier: Apache-2.0
//
// Switch allocator: holds the requests of the inputs in registers, and matches free inputs with free outputs by iSLIP.
// A request tells whether the packet may have more than one cell, and so may hold input and output in the next
// cycle. The same mark from the chosen queue would come from the inputs and arrive late.
//
// Latency: 1 cycle from request_i to match_o.
// Speed: an AND of request, free input and free output, iterations of iSLIP, an AND with the long marks, an OR.
// Synthesis of a large card maps this module apart from the inputs, so that this logic stands side by side. Of the late
// signals of the inputs only requests pass a level here: the timing model would take the others for early.
`default_nettype none

module xt_switch_allocator #(
  /// Number of inputs.
  parameter int Inputs = 4,
  /// Number of outputs.
  parameter int Outputs = 4,
  /// Iterations in one cycle.
  parameter int Iterations = 1,
  /// The first input that may give way; none below does.
  parameter int FirstGiver = 0,
  /// Pairs that may request; the others never do. Ordered as the requests.
  parameter logic [Inputs*Outputs-1:0] Allowed = {(Inputs * Outputs) {1'b1}}
) (
  /// Clock.
  input  logic                      clk_i,
  /// Reset, active low, synchronous.
  input  logic                      rst_ni,
  /// Requests: pairs that may start a stream in the next cycle if both are free. Bit i*Outputs + o: input i, output o.
  input  logic [Inputs*Outputs-1:0] request_i,
  /// Requests that do not count if their input gives way in the next cycle. Ordered as the requests.
  input  logic [Inputs*Outputs-1:0] held_back_i,
  /// Inputs that give way in the next cycle. Those with a match do in any case.
  input  logic [        Inputs-1:0] goes_on_i,
  /// Free inputs.
  input  logic [        Inputs-1:0] input_free_i,
  /// Free outputs.
  input  logic [       Outputs-1:0] output_free_i,
  /// Inputs that give way to the others.
  input  logic [        Inputs-1:0] gives_way_i,
  /// The packet of such a pair may have more than one cell. Ordered as the requests.
  input  logic [Inputs*Outputs-1:0] long_i,
  /// Matches; at most one per input and per output.
  output logic [Inputs*Outputs-1:0] match_o,
  /// Inputs with a match. Early: does not tell with which output.
  output logic [        Inputs-1:0] matched_o,
  /// Inputs with a match of a packet that may have more than one cell.
  output logic [        Inputs-1:0] input_starts_o,
  /// Outputs with such a match.
  output logic [       Outputs-1:0] output_starts_o
);

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips an allocator without a request
`endif

  logic [Inputs*Outputs-1:0] request, request_q, long_q;

  // Requests and matches come late, so nothing but this level waits for them. Icarus 11 wakes an always_comb by the process's
  // own loop variables, for ever.
  always @* begin : not_held_back
    int i;
    i       = 0;
    request = '0;
    if (NoSkip || request_i != '0) begin
      for (i = 0; i < Inputs; i = i + 1) begin
        request[i*Outputs+:Outputs] = request_i[i*Outputs+:Outputs] & Allowed[i*Outputs+:Outputs]
            & ~((goes_on_i[i] | matched_o[i]) ? held_back_i[i*Outputs+:Outputs] : '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) request_q <= '0;
    else request_q <= request;
    long_q <= long_i;
  end

  xt_islip #(
    .Inputs    (Inputs),
    .Outputs   (Outputs),
    .Iterations(Iterations),
    .FirstGiver(FirstGiver),
    .Allowed   (Allowed)
  ) i_islip (
    .clk_i,
    .rst_ni,
    .request_i    (request_q),
    .input_free_i,
    .output_free_i,
    .gives_way_i,
    .match_o,
    .matched_o
  );

  xt_stream_starts #(
    .Inputs (Inputs),
    .Outputs(Outputs),
    .Allowed(Allowed)
  ) i_stream_starts (
    .match_i        (match_o),
    .long_i         (long_q),
    .input_starts_o,
    .output_starts_o
  );

endmodule

`default_nettype wire
