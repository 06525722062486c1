// SPDX-License-Identifier: Apache-2.0
//
// Crossbar for a slice of the cells, from inputs to outputs. A card has one crossbar for each block RAM's width of a
// cell, or for half of it. So a crossbar's select register drives few bits, which stand beside each other. One
// register for a whole cell would have the longest wires of the card. Synthesis of a large card maps each crossbar
// apart; a common run would merge the select registers.
//
// Up to five inputs are joined by an OR of gated inputs. More are joined in a chain of xt_crossbar_merge, which takes two
// inputs per step and bit, and so fewer lookup tables. If their number is odd, the last three join behind the chain: a level
// less, for as many tables. xt_crossbar_select makes the chain's selects.
//
// Latency: 1 cycle from select_i, none from input_i.
// Speed: a gate per input, an OR of all inputs; or a lookup table per two inputs.
`default_nettype none

module xt_crossbar #(
  /// Number of inputs.
  parameter int Inputs = 2,
  /// Number of outputs.
  parameter int Outputs = 2,
  /// The first outputs, which never take the word of the input of the same number.
  parameter int NoTurns = 0,
  /// Bits of a cell that pass here.
  parameter int Bits = 8,
  /// Bits that select an input, as in xt_crossbar_select.
  localparam int SelectBits = (Inputs > 5) ? (Inputs + 5) / 2 : Inputs
) (
  /// Clock.
  input  logic                          clk_i,
  /// The bits of each input, one cycle later than their select_i.
  input  logic [       Inputs*Bits-1:0] input_i,
  /// Per output: the input that goes there, from xt_crossbar_select.
  input  logic [Outputs*SelectBits-1:0] select_i,
  /// The bits of each output, zero without a cell.
  output logic [      Outputs*Bits-1:0] output_o
);

  logic [Outputs*SelectBits-1:0] select_q;

  always_ff @(posedge clk_i) select_q <= select_i;

  for (genvar o = 0; o < Outputs; o++) begin : g_output
    // The inputs that may come here, without a gap.
    localparam int Count = (o < NoTurns) ? Inputs - 1 : Inputs;
    // Fewer inputs need fewer selects.
    // verilator lint_off UNUSEDSIGNAL
    logic [SelectBits-1:0] select;
    // verilator lint_on UNUSEDSIGNAL
    logic [Count*Bits-1:0] inputs;

    assign select = select_q[o*SelectBits+:SelectBits];
    for (genvar i = 0; i < Count; i++) begin : g_input
      assign inputs[i*Bits+:Bits] = input_i[((o < NoTurns && i >= o)?i+1 : i)*Bits+:Bits];
    end

    if (Inputs > 5) begin : g_chain
      localparam int Chain = (Count % 2 == 1) ? Count - 3 : Count;
      localparam int Steps = Chain / 2 - 1;
      logic [Bits-1:0] first, chain;

      // The first two: none, one of them, or all ones for the steps to come.
      assign first  = ({Bits{select[0]}} & (inputs[0+:Bits] | {Bits{select[1]}})) | ({Bits{select[1]}} & inputs[Bits+:Bits]);
      for (genvar s = 0; s < Steps; s++) begin : g_step
        logic [Bits-1:0] earlier, word;

        if (s == 0) begin : g_first
          assign earlier = first;
        end else begin : g_further
          assign earlier = g_step[s-1].word;
        end
        xt_crossbar_merge #(
          .Bits(Bits)
        ) i_merge (
          .word_i (earlier),
          .even_i (inputs[(2*s+2)*Bits+:Bits]),
          .odd_i  (inputs[(2*s+3)*Bits+:Bits]),
          .merge_i(select[s+2]),
          .word_o (word)
        );
      end
      if (Steps > 0) begin : g_long
        assign chain = g_step[Steps-1].word;
      end else begin : g_short
        assign chain = first;
      end
      if (Chain < Count) begin : g_rest
        localparam int Rest = 1 + Chain / 2;  // their first select
        assign output_o[o*Bits+:Bits] = chain | ({Bits{select[Rest]}} & inputs[Chain*Bits+:Bits])
            | ({Bits{select[Rest+1]}} & inputs[(Chain+1)*Bits+:Bits]) | ({Bits{select[Rest+2]}} & inputs[(Chain+2)*Bits+:Bits]);
      end else begin : g_even
        assign output_o[o*Bits+:Bits] = chain;
      end
    end else begin : g_join
      logic [Bits-1:0] word;

      always @* begin
        word = '0;
        for (int i = 0; i < Count; i++) if (select[i]) word = word | inputs[i*Bits+:Bits];
      end
      assign output_o[o*Bits+:Bits] = word;
    end
  end

endmodule

`default_nettype wire
