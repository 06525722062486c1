// SPDX-License-Identifier: Apache-2.0
//
// Cells in use per VC, a part of xt_credit_counter.
//
// A VC uses the cells charged to it less those returned, modulo a power of two. Both counts are in memories of
// their own, since a packet of one VC and a credit of another may come in the same cycle. A VC that uses nothing starts from
// equal counts. So a reset clears a flag per VC only, and the memories may begin with any values. What up to four VCs use
// is in registers.
//
// Latency: the sums are combinational, and count from the next cycle on.
// Speed: LUT RAM, a subtraction and an addition.
//
// Invariant: the counts of a VC differ by what it uses (proved in tests/rtl/proofs against a number per VC).
`default_nettype none

module xt_credit_usage #(
  /// Number of VCs.
  parameter int Vcs = 2,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Bits of a number of cells.
  parameter int Bits = 4,
  /// Bits of a VC number.
  localparam int VcBits = (Vcs > 1) ? $clog2(Vcs) : 1
) (
  /// Clock.
  input  logic               clk_i,
  /// Reset, active low, synchronous: no VC uses a cell.
  input  logic               rst_ni,
  /// A packet is charged.
  input  logic               consume_i,
  /// VC of the packet.
  input  logic [ VcBits-1:0] consume_vc_i,
  /// Cells of the packet, minus one.
  input  logic [LenBits-1:0] consume_len_i,
  /// This VC used cells before ...
  output logic               consume_uses_o,
  /// ... so many if it did. What is told of a VC without cells means nothing ...
  output logic [   Bits-1:0] consume_used_o,
  /// ... and with the packet, less a cell of the VC that is returned in the same cycle.
  output logic [   Bits-1:0] consume_new_o,
  /// A cell is returned.
  input  logic               credit_i,
  /// VC of the cell.
  input  logic [ VcBits-1:0] credit_vc_i,
  /// The VC uses a cell; otherwise nothing is returned.
  output logic               credit_o,
  /// What the VC uses without the cell, a packet of the same cycle not counted.
  output logic [   Bits-1:0] credit_new_o,
  /// Read-out: a VC.
  input  logic [ VcBits-1:0] read_vc_i,
  /// Read-out: what this VC uses.
  output logic [   Bits-1:0] read_used_o,
  /// Some VC uses a cell.
  output logic               outstanding_o
);

  logic          pairs;  // a packet and a credit of the same VC
  // verilator lint_off UNUSEDSIGNAL
  logic [Bits:0] consume_sum;  // the lowest bit makes the carry
  // verilator lint_on UNUSEDSIGNAL

  assign pairs         = credit_o && credit_vc_i == consume_vc_i;
  assign consume_sum   = {consume_used_o, 1'b1} + {Bits'(consume_len_i), !pairs};
  assign consume_new_o = consume_uses_o ? consume_sum[Bits:1] : Bits'(consume_len_i) + 1'b1;

  if (Vcs <= 4) begin : g_registers
    logic [(1<<VcBits)*Bits-1:0] used_q;
    logic [     (1<<VcBits)-1:0] some;  // VCs that use cells
    for (genvar v = 0; v < (1 << VcBits); v++) begin : g_some
      assign some[v] = used_q[v*Bits+:Bits] != '0;
    end
    assign consume_uses_o = some[consume_vc_i];
    assign consume_used_o = used_q[consume_vc_i*Bits+:Bits];
    assign read_used_o    = used_q[read_vc_i*Bits+:Bits];
    assign credit_o       = credit_i & some[credit_vc_i];
    assign credit_new_o   = used_q[credit_vc_i*Bits+:Bits] - 1'b1;
    assign outstanding_o  = some != '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        used_q <= '0;
      end else begin
        for (int v = 0; v < Vcs; v++) begin
          if (consume_i && consume_vc_i == v[VcBits-1:0]) used_q[v*Bits+:Bits] <= consume_new_o;
          else if (credit_o && credit_vc_i == v[VcBits-1:0]) used_q[v*Bits+:Bits] <= credit_new_o;
        end
      end
    end
  end else begin : g_memories
    localparam int Words = 1 << VcBits;

    logic [Words-1:0] some_q;  // VCs that use cells; there is none behind Vcs
    logic [ Bits-1:0] charged_consume, charged_credit, charged_read, returned_consume, returned_credit, returned_read;
    logic [ Bits-1:0] charged;
    // verilator lint_off UNUSEDSIGNAL
    logic [   Bits:0] charged_sum;  // the lowest bit makes the carry
    // verilator lint_on UNUSEDSIGNAL

    xt_ram_async #(
      .Width(Bits),
      .Depth(Words),
      .Reads(3)
    ) i_charged (
      .clk_i,
      .we_i   (consume_i),
      .waddr_i(consume_vc_i),
      .wdata_i(charged_sum[Bits:1]),
      .raddr_i({read_vc_i, credit_vc_i, consume_vc_i}),
      .rdata_o({charged_read, charged_credit, charged_consume})
    );
    xt_ram_async #(
      .Width(Bits),
      .Depth(Words),
      .Reads(3)
    ) i_returned (
      .clk_i,
      .we_i   (credit_o),
      .waddr_i(credit_vc_i),
      .wdata_i(returned_credit + 1'b1),
      .raddr_i({read_vc_i, credit_vc_i, consume_vc_i}),
      .rdata_o({returned_read, returned_credit, returned_consume})
    );

    assign charged        = consume_uses_o ? charged_consume : returned_consume;
    assign charged_sum    = {charged, 1'b1} + {Bits'(consume_len_i), 1'b1};
    assign consume_uses_o = some_q[consume_vc_i];
    assign consume_used_o = charged_consume - returned_consume;
    assign credit_o       = credit_i & some_q[credit_vc_i];
    assign credit_new_o   = charged_credit + ~returned_credit;
    assign read_used_o    = some_q[read_vc_i] ? charged_read - returned_read : '0;
    assign outstanding_o  = some_q != '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        some_q <= '0;
      end else begin
        for (int v = 0; v < Vcs; v++) begin
          if (consume_i && consume_vc_i == v[VcBits-1:0]) some_q[v] <= 1'b1;
          else if (credit_o && credit_vc_i == v[VcBits-1:0]) some_q[v] <= credit_new_o != '0;
        end
      end
    end
  end

endmodule

`default_nettype wire
