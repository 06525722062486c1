// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs that a match keeps busy, because the packet may have more than one cell.
//
// Latency: combinational.
// Speed: two levels of logic for seven ports, behind the match. Synthesis of a large card maps this module apart, as beside
// other logic it would make three.
`default_nettype none

module xt_stream_starts #(
  /// Number of inputs.
  parameter int Inputs = 4,
  /// Number of outputs.
  parameter int Outputs = 4,
  /// Pairs that may be matched; the others never are. Bit i*Outputs + o: input i, output o.
  parameter logic [Inputs*Outputs-1:0] Allowed = {(Inputs * Outputs) {1'b1}}
) (
  /// Matches, ordered as the pairs.
  input  logic [Inputs*Outputs-1:0] match_i,
  /// The packet of such a pair may have more than one cell. Ordered as the pairs.
  input  logic [Inputs*Outputs-1:0] long_i,
  /// Inputs with such a match.
  output logic [        Inputs-1:0] input_starts_o,
  /// Outputs with such a match.
  output logic [       Outputs-1:0] output_starts_o
);

  logic [Inputs*Outputs-1:0] starts;

  assign starts = match_i & long_i & Allowed;
  always @* begin
    output_starts_o = '0;
    for (int i = 0; i < Inputs; i++) begin
      output_starts_o   = output_starts_o | starts[i*Outputs+:Outputs];
      input_starts_o[i] = starts[i*Outputs+:Outputs] != '0;
    end
  end

endmodule

`default_nettype wire
