// SPDX-License-Identifier: Apache-2.0
//
// What xt_credit_usage does, with a register per VC in place of its memories. credit_usage.sv proves both equal, and
// credit_usage_stand_in.sv takes this one, since proofs about counts in memories end late.
`default_nettype none

module credit_usage_reference #(
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

  logic [(1<<VcBits)*Bits-1:0] used_q;

  assign consume_used_o = used_q[consume_vc_i*Bits+:Bits];
  assign credit_o       = credit_i && used_q[credit_vc_i*Bits+:Bits] != '0;
  assign consume_new_o  = consume_used_o + Bits'(consume_len_i) + Bits'(!(credit_o && credit_vc_i == consume_vc_i));
  assign credit_new_o   = used_q[credit_vc_i*Bits+:Bits] - 1'b1;
  assign read_used_o    = used_q[read_vc_i*Bits+:Bits];
  assign outstanding_o  = used_q != '0;

  always_ff @(posedge clk_i) begin
    if (credit_o) used_q[credit_vc_i*Bits+:Bits] <= credit_new_o;
    if (consume_i) used_q[consume_vc_i*Bits+:Bits] <= consume_new_o;
    if (!rst_ni) used_q <= '0;
  end

endmodule

`default_nettype wire
