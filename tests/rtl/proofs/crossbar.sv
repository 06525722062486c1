// SPDX-License-Identifier: Apache-2.0
//
// xt_crossbar with xt_crossbar_select: an output has the word of the input that goes there, and zero without one. With
// NoTurns no input goes to the output of its number. The words come one cycle after their selects.
`default_nettype none

module crossbar_proof #(
  parameter int Inputs = 7,
  parameter int NoTurns = 0
) (
  input logic                clk_i,
  input logic [Inputs*2-1:0] input_i,
  input logic [Inputs*2-1:0] to_i
);

  localparam int Outputs = 2;
  localparam int Bits = 2;
  localparam int SelectBits = (Inputs > 5) ? (Inputs + 5) / 2 : Inputs;

  logic [Outputs*SelectBits-1:0] select;
  logic [      Outputs*Bits-1:0] out, expected_q = '0;
  logic                          clocked_q = 1'b0;
  logic [            Inputs-1:0] to0, to1;

  xt_crossbar_select #(
    .Inputs (Inputs),
    .Outputs(Outputs),
    .NoTurns(NoTurns)
  ) i_select (
    .to_i,
    .select_o(select)
  );
  logic [Inputs*2-1:0] words_q;
  always_ff @(posedge clk_i) words_q <= input_i;

  xt_crossbar #(
    .Inputs (Inputs),
    .Outputs(Outputs),
    .NoTurns(NoTurns),
    .Bits   (Bits)
  ) i_dut (
    .clk_i,
    .input_i (words_q),
    .select_i(select),
    .output_o(out)
  );

  for (genvar i = 0; i < Inputs; i++) begin : g_input
    assign {to1[i], to0[i]} = to_i[i*Outputs+:Outputs];
  end

  always_ff @(posedge clk_i) begin
    clocked_q  <= 1'b1;
    expected_q <= '0;
    for (int i = 0; i < Inputs; i++) begin
      if (to0[i]) expected_q[0+:Bits] <= input_i[i*Bits+:Bits];
      if (to1[i]) expected_q[Bits+:Bits] <= input_i[i*Bits+:Bits];
    end
  end

  always_comb begin
    one_input_to_0 : assume ((to0 & (to0 - 1'b1)) == '0);
    one_input_to_1 : assume ((to1 & (to1 - 1'b1)) == '0);
    no_turn_at_0 : assume (NoTurns < 1 || !to0[0]);
    no_turn_at_1 : assume (NoTurns < 2 || !to1[1]);
    if (clocked_q) word_is_the_inputs : assert (out == expected_q);
  end

endmodule

`default_nettype wire
