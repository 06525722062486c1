// SPDX-License-Identifier: Apache-2.0
//
// xt_credit_usage does what registers in place of its memories do, whatever packets, credits and resets come. A VC
// never uses more cells than its number of bits can tell.
`default_nettype none

module credit_usage_proof #(
  parameter int Bits = 3,
  parameter int Vcs = 5,
  localparam int VcBits = (Vcs > 1) ? $clog2(Vcs) : 1
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       consume_i,
  input logic [VcBits-1:0] consume_vc_i,
  input logic [1:0] consume_len_i,
  input logic       credit_i,
  input logic [VcBits-1:0] credit_vc_i,
  input logic [VcBits-1:0] read_vc_i
);

  logic begun = 1'b0, rst_n;
  always_ff @(posedge clk_i) begun <= 1'b1;
  assign rst_n = begun & rst_ni;

  logic [Bits-1:0] dut_consume_used, dut_consume_new, dut_credit_new, dut_read_used;
  logic [Bits-1:0] ref_consume_used, ref_consume_new, ref_credit_new, ref_read_used;
  logic            dut_credit, dut_outstanding, ref_credit, ref_outstanding;

  xt_credit_usage #(
    .Vcs    (Vcs),
    .LenBits(2),
    .Bits   (Bits)
  ) i_dut (
    .clk_i,
    .consume_i,
    .consume_vc_i,
    .consume_len_i,
    .credit_i,
    .credit_vc_i,
    .read_vc_i,
    .rst_ni(rst_n),
    .consume_used_o(dut_consume_used),
    .consume_new_o(dut_consume_new),
    .credit_o(dut_credit),
    .credit_new_o(dut_credit_new),
    .read_used_o(dut_read_used),
    .outstanding_o(dut_outstanding)
  );

  credit_usage_reference #(
    .Vcs    (Vcs),
    .LenBits(2),
    .Bits   (Bits)
  ) i_reference (
    .clk_i,
    .consume_i,
    .consume_vc_i,
    .consume_len_i,
    .credit_i,
    .credit_vc_i,
    .read_vc_i,
    .rst_ni(rst_n),
    .consume_used_o(ref_consume_used),
    .consume_new_o(ref_consume_new),
    .credit_o(ref_credit),
    .credit_new_o(ref_credit_new),
    .read_used_o(ref_read_used),
    .outstanding_o(ref_outstanding)
  );

  always_comb begin
    vcs_exist : assume (32'(consume_vc_i) < Vcs && 32'(credit_vc_i) < Vcs && 32'(read_vc_i) < Vcs);
    a_count_suffices : assume (!consume_i || 32'(ref_consume_used) + 32'(consume_len_i) + 1 < 1 << Bits);
    if (rst_n) begin
      credit_is_told : assert (dut_credit == ref_credit && dut_outstanding == ref_outstanding);
      use_is_told : assert (dut_consume_used == ref_consume_used && dut_consume_new == ref_consume_new);
      use_is_read : assert (dut_read_used == ref_read_used);
      if (ref_credit) rest_is_told : assert (dut_credit_new == ref_credit_new);
    end
  end

endmodule

`default_nettype wire
