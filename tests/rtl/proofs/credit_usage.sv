// SPDX-License-Identifier: Apache-2.0
//
// xt_credit_usage tells what a number of cells per VC tells, whatever packets, credits and resets come. A VC never
// uses more cells than its number of bits can tell.
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

  logic [Bits-1:0] consume_used, consume_new, credit_new, read_used;
  logic            uses, credit, outstanding;
  xt_credit_usage #(
    .Vcs    (Vcs),
    .LenBits(2),
    .Bits   (Bits)
  ) i_dut (
    .clk_i,
    .rst_ni        (rst_n),
    .consume_i,
    .consume_vc_i,
    .consume_len_i,
    .consume_uses_o(uses),
    .consume_used_o(consume_used),
    .consume_new_o (consume_new),
    .credit_i,
    .credit_vc_i,
    .credit_o      (credit),
    .credit_new_o  (credit_new),
    .read_vc_i,
    .read_used_o   (read_used),
    .outstanding_o (outstanding)
  );

  // What each VC uses.
  logic [(1<<VcBits)*Bits-1:0] used = '0;
  logic [Bits-1:0] consumer, creditor;
  logic            repays;
  assign consumer = used[consume_vc_i*Bits+:Bits];
  assign creditor = used[credit_vc_i*Bits+:Bits];
  assign repays   = credit_i && creditor != '0;

  always_ff @(posedge clk_i) begin
    for (int v = 0; v < Vcs; v++) begin
      used[v*Bits+:Bits] <= used[v*Bits+:Bits]
                          + ((consume_i && 32'(consume_vc_i) == v) ? Bits'(consume_len_i) + 1'b1 : '0)
                          - Bits'(repays && 32'(credit_vc_i) == v);
    end
    if (!rst_n) used <= '0;
  end

  always_comb begin
    vcs_exist : assume (32'(consume_vc_i) < Vcs && 32'(credit_vc_i) < Vcs && 32'(read_vc_i) < Vcs);
    a_count_suffices : assume (!consume_i || 32'(consumer) + 32'(consume_len_i) + 1 < 1 << Bits);
    if (rst_n) begin
      credit_is_told : assert (credit == repays && outstanding == (used != '0));
      use_is_told : assert (uses == (consumer != '0) && (!uses || consume_used == consumer));
      if (consume_i) new_use_is_told : assert (32'(consume_new) == 32'(consumer) + 32'(consume_len_i) + 1
                                               - 32'(repays && credit_vc_i == consume_vc_i));
      use_is_read : assert (read_used == used[read_vc_i*Bits+:Bits]);
      if (repays) rest_is_told : assert (32'(credit_new) == 32'(creditor) - 1);
    end
  end

endmodule

`default_nettype wire
