// SPDX-License-Identifier: Apache-2.0
//
// Crossbar for a slice of the cells, from inputs to outputs. A card has one crossbar for each block RAM's width of a
// cell. So a crossbar's select register drives few bits, and these stand beside each other. One register for
// a whole cell would have the longest wires of the card. Synthesis of a large card maps each crossbar apart;
// a common run would merge the select registers.
//
// Latency: 1 cycle, from input_i and to_i; the choice is behind the registers.
// Speed: a gate per input, an OR of all inputs.
`default_nettype none

module xt_crossbar #(
  /// Number of inputs.
  parameter int Inputs = 2,
  /// Number of outputs.
  parameter int Outputs = 2,
  /// Bits of a cell that pass here.
  parameter int Bits = 8
) (
  /// Clock.
  input  logic                      clk_i,
  /// The bits of each input.
  input  logic [   Inputs*Bits-1:0] input_i,
  /// Output that they go to, one-hot, zero for none; no output twice. Bit i*Outputs + o is input i's for output o.
  input  logic [Inputs*Outputs-1:0] to_i,
  /// The bits of each output, zero without a cell.
  output logic [  Outputs*Bits-1:0] output_o
);

  logic [   Inputs*Bits-1:0] input_q;
  logic [Inputs*Outputs-1:0] to_q;

  always_ff @(posedge clk_i) begin
    input_q <= input_i;
    to_q    <= to_i;
  end

  always_comb begin
    output_o = '0;
    for (int o = 0; o < Outputs; o++) begin
      for (int i = 0; i < Inputs; i++) begin
        if (to_q[i*Outputs+o]) output_o[o*Bits+:Bits] = output_o[o*Bits+:Bits] | input_q[i*Bits+:Bits];
      end
    end
  end

endmodule

`default_nettype wire
