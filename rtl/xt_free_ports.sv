// SPDX-License-Identifier: Apache-2.0
//
// Which inputs and outputs of a switch are free for the next matching: one that is matched is busy until the stream
// that starts has one cell to go.
//
// Latency: 1 cycle, so that streams of one cell follow each other without a gap.
// Speed: behind the matching an AND, and an OR of what each input or output could be busy with. All of it belongs beside
// the matching: synthesis keeps it apart from the inputs, which tell beforehand what a match would start.
`default_nettype none

module xt_free_ports #(
  /// Number of inputs.
  parameter int Inputs = 4,
  /// Number of outputs.
  parameter int Outputs = 4
) (
  /// Clock.
  input  logic                      clk_i,
  /// Matches of this cycle: bit i*Outputs + o is input i's with output o.
  input  logic [Inputs*Outputs-1:0] match_i,
  /// What a pair would start, were it matched, goes beyond the next cycle. Ordered as the matches.
  input  logic [Inputs*Outputs-1:0] would_go_on_i,
  /// The stream of a pair goes beyond the next cycle.
  input  logic [Inputs*Outputs-1:0] goes_on_i,
  /// An input is busy beyond the next cycle, whatever is matched.
  input  logic [        Inputs-1:0] busy_i,
  /// Free inputs.
  output logic [        Inputs-1:0] input_free_o,
  /// Free outputs.
  output logic [       Outputs-1:0] output_free_o
);

  logic [Inputs*Outputs-1:0] starts;
  logic [        Inputs-1:0] input_busy;
  logic [       Outputs-1:0] output_busy;

  assign starts = match_i & would_go_on_i;
  always_comb begin
    output_busy = '0;
    for (int i = 0; i < Inputs; i++) begin
      output_busy   = output_busy | starts[i*Outputs+:Outputs] | goes_on_i[i*Outputs+:Outputs];
      input_busy[i] = busy_i[i] | (starts[i*Outputs+:Outputs] != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    input_free_o  <= ~input_busy;
    output_free_o <= ~output_busy;
  end

endmodule

`default_nettype wire
