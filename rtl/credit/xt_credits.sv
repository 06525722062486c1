// SPDX-License-Identifier: Apache-2.0
//
// Credits of one output: how many cells the buffer at the other end of the link can still take. This module chooses one
// of two variants with the same port list and the same cycles.
//
// - xt_credit_counter, if Shared > 0: link outputs and NIC injection in profiles whose VCs share cells.
// - xt_credit_reserves, if Shared is 0: every output to a NIC, and all outputs in the other profiles.
//
// Without shared cells a VC's own reserve is the whole state, so the second variant needs no pool and fewer
// adders in a row. Each variant also has a proof of its own in tests/rtl/proofs.
//
// Latency: credit_ok_o follows consume_i by 3 cycles.
// Speed: that of the chosen variant.
`default_nettype none

module xt_credits #(
  /// Number of VCs.
  parameter int Vcs = 2,
  /// Cells that each VC owns.
  parameter int Reserved = 16,
  /// Cells that all VCs share.
  parameter int Shared = 8,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Number of length classes.
  parameter int Classes = 1,
  /// Cells of each length class, 8 bits each, ascending from the low bits.
  parameter logic [Classes*8-1:0] LengthClass = 8'd4,
  /// A packet may take what is left of the reserve and shared cells together.
  parameter bit Sums = 1'b1,
  /// Cells that may leave uncounted between a decision and its effect.
  parameter int Margin = 5,
  /// Bits of a number of cells; enough for Reserved + Shared.
  parameter int CountBits = $clog2(Reserved + Shared + 1),
  /// Bits of a VC number.
  localparam int VcBits = (Vcs > 1) ? $clog2(Vcs) : 1,
  /// Bits of a number of length classes; the uppermost says all of them, whatever the others say.
  localparam int CreditOkBits = ((Classes > 1) ? $clog2(Classes) : 0) + 1
) (
  /// Clock.
  input  logic                   clk_i,
  /// Reset, active low, synchronous: the buffer at the other end is empty.
  input  logic                   rst_ni,
  /// The buffer at the other end is empty, and no cell is on its way there.
  input  logic                   restart_i,
  /// The link drops cells: credit_ok_o allows all packets, from the next cycle on.
  input  logic                   down_i,
  /// Shared cells below which the output is crowded.
  input  logic [           15:0] room_i,
  /// A packet starts.
  input  logic                   consume_i,
  /// VC of the packet.
  input  logic [     VcBits-1:0] consume_vc_i,
  /// Cells of the packet, minus one.
  input  logic [    LenBits-1:0] consume_len_i,
  /// One cell was freed at the other end.
  input  logic                   credit_i,
  /// The VC of that cell.
  input  logic [     VcBits-1:0] credit_vc_i,
  /// Per VC: number of length classes, from the shortest on, whose packets have credit.
  output logic [Vcs*CreditOkBits-1:0] credit_ok_o,
  /// Read-out: VC.
  input  logic [     VcBits-1:0] read_vc_i,
  /// Read-out: cells of that VC consumed and not credited.
  output logic [  CountBits-1:0] read_used_o,
  /// Cells consumed and not credited, per VC.
  output logic [Vcs*CountBits-1:0] used_o,
  /// Some credits are outstanding.
  output logic                   outstanding_o,
  /// Fewer shared cells are free than room_i; never without shared cells. Combinational.
  output logic                   crowded_o,
  /// A change has not reached credit_ok_o yet.
  output logic                   busy_o
);

  if (Reserved < 32'(LengthClass[(Classes-1)*8+:8]) + Margin) begin : g_illegal
    xt_credits_reserve_is_below_packet_plus_margin i_illegal ();
  end

  if (CountBits < $clog2(Reserved + Shared + 1)) begin : g_illegal_count
    xt_credits_count_is_too_narrow i_illegal ();
  end

  if (Shared == 0) begin : g_reserves
    assign crowded_o = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^room_i;
    // verilator lint_on UNUSEDSIGNAL
    xt_credit_reserves #(
      .Vcs        (Vcs),
      .Reserved   (Reserved),
      .LenBits    (LenBits),
      .Classes    (Classes),
      .LengthClass(LengthClass),
      .Margin     (Margin),
      .CountBits  (CountBits)
    ) i_credit_reserves (
      .clk_i,
      .rst_ni,
      .restart_i,
      .down_i,
      .consume_i,
      .consume_vc_i,
      .consume_len_i,
      .credit_i,
      .credit_vc_i,
      .credit_ok_o,
      .read_vc_i,
      .read_used_o,
      .used_o,
      .outstanding_o,
      .busy_o
    );
  end else begin : g_counter
    xt_credit_counter #(
      .Vcs        (Vcs),
      .Reserved   (Reserved),
      .Shared     (Shared),
      .LenBits    (LenBits),
      .Classes    (Classes),
      .LengthClass(LengthClass),
      .Sums       (Sums),
      .Margin     (Margin),
      .CountBits  (CountBits)
    ) i_credit_counter (
      .clk_i,
      .rst_ni,
      .restart_i,
      .down_i,
      .room_i,
      .consume_i,
      .consume_vc_i,
      .consume_len_i,
      .credit_i,
      .credit_vc_i,
      .credit_ok_o,
      .read_vc_i,
      .read_used_o,
      .used_o,
      .outstanding_o,
      .crowded_o,
      .busy_o
    );
  end

endmodule

`default_nettype wire
