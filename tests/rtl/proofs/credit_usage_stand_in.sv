// SPDX-License-Identifier: Apache-2.0
//
// Registers in place of the memories of xt_credit_usage, for the proof of xt_credit_counter.
`default_nettype none

module xt_credit_usage #(
  parameter int Vcs = 2,
  parameter int LenBits = 2,
  parameter int Bits = 4,
  localparam int VcBits = (Vcs > 1) ? $clog2(Vcs) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               consume_i,
  input  logic [ VcBits-1:0] consume_vc_i,
  input  logic [LenBits-1:0] consume_len_i,
  output logic [   Bits-1:0] consume_used_o,
  output logic [   Bits-1:0] consume_new_o,
  input  logic               credit_i,
  input  logic [ VcBits-1:0] credit_vc_i,
  output logic               credit_o,
  output logic [   Bits-1:0] credit_new_o,
  input  logic [ VcBits-1:0] read_vc_i,
  output logic [   Bits-1:0] read_used_o,
  output logic               outstanding_o
);

  credit_usage_reference #(
    .Vcs    (Vcs),
    .LenBits(LenBits),
    .Bits   (Bits)
  ) i_reference (
    .clk_i,
    .rst_ni,
    .consume_i,
    .consume_vc_i,
    .consume_len_i,
    .consume_used_o,
    .consume_new_o,
    .credit_i,
    .credit_vc_i,
    .credit_o,
    .credit_new_o,
    .read_vc_i,
    .read_used_o,
    .outstanding_o
  );

endmodule

`default_nettype wire
