// SPDX-License-Identifier: Apache-2.0
//
// Selects of all crossbars, from the output that each input's cell goes to. Up to five inputs: the inputs themselves, one-hot
// per output. More: the codes of the chain in xt_crossbar. Bit 0 and 1 are for the first two inputs, both for a word of ones.
// Each further bit is for the next two inputs, of which the odd one is taken behind a word of ones. If the number of inputs is
// odd, the last three are not in the chain, and have a bit each.
//
// Latency: combinational.
// Speed: an OR of the odd inputs.
`default_nettype none

module xt_crossbar_select #(
  /// Number of inputs.
  parameter int Inputs = 2,
  /// Number of outputs.
  parameter int Outputs = 2,
  /// The first outputs, which never take the word of the input of the same number.
  parameter int NoTurns = 0,
  /// Bits that select an input.
  localparam int SelectBits = (Inputs > 5) ? (Inputs + 5) / 2 : Inputs
) (
  /// Output of each input's cell, one-hot, zero for none; no output twice. Bit i*Outputs + o is input i's for output o.
  input  logic [    Inputs*Outputs-1:0] to_i,
  /// Per output: the input that goes there.
  output logic [Outputs*SelectBits-1:0] select_o
);

  for (genvar o = 0; o < Outputs; o++) begin : g_output
    localparam int Count = (o < NoTurns) ? Inputs - 1 : Inputs;
    localparam int Chain = (Count % 2 == 1) ? Count - 3 : Count;
    logic [    Inputs-1:0] from;
    logic [SelectBits-1:0] select;

    // Numbered without the input that never comes here.
    for (genvar i = 0; i < Inputs; i++) begin : g_from
      if (o >= NoTurns) begin : g_any
        assign from[i] = to_i[i*Outputs+o];
      end else if (i < Inputs - 1) begin : g_other
        assign from[i] = to_i[((i>=o)?i+1 : i)*Outputs+o];
      end else begin : g_none
        assign from[i] = 1'b0;
      end
    end
    if (Inputs > 5) begin : g_chain
      always_comb begin
        select      = '0;
        select[1:0] = from[1:0];
        for (int i = 2; i < Count; i++) begin
          if (from[i]) select[(i<Chain)?1+i/2 : 1+Chain/2+(i-Chain)] = 1'b1;
          if (from[i] && i < Chain && i % 2 == 1) select[1:0] = '1;
        end
      end
    end else begin : g_join
      assign select = from;
    end
    assign select_o[o*SelectBits+:SelectBits] = select;
  end

endmodule

`default_nettype wire
