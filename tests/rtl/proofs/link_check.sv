// SPDX-License-Identifier: Apache-2.0
//
// xt_link_check with shared sums, as synthesised, equals the simulated one. Both are sums modulo 2 of bits of
// the word and of constants. So both are equal for all words if they are equal for the zero word and for
// every word with one bit.
`default_nettype none

module link_check_proof #(
  parameter int Bits = 200
) (
  input logic            clk_i,
  input logic            valid_i,
  input logic [$clog2(Bits+1)-1:0] bit_i  // the one that is set; Bits and more: none
);

  logic [Bits-1:0] data;
  logic [    31:0] alone, shared;

  always_comb begin
    for (int n = 0; n < Bits; n++) data[n] = bit_i == n[$clog2(Bits+1)-1:0];
  end

  xt_link_check #(
    .Bits  (Bits),
    .Shared(1'b0)
  ) i_alone (
    .valid_i,
    .data_i (data),
    .check_o(alone)
  );

  xt_link_check #(
    .Bits  (Bits),
    .Shared(1'b1)
  ) i_shared (
    .valid_i,
    .data_i (data),
    .check_o(shared)
  );

  always_ff @(posedge clk_i) begin
    link_check_shared_is_the_same : assert (!valid_i || shared == alone);
  end

endmodule

`default_nettype wire
