// SPDX-License-Identifier: Apache-2.0
//
// Credit counter without shared cells, the variant of xt_credits for Shared = 0. All outputs of the profiles bubble,
// mini and ring use this variant, and every output to a NIC. Every cell of the buffer at the other end belongs to one
// VC, so the free cells of each reserve are the whole state. Ports and cycles are those of xt_credit_counter.
//
// Latency: as xt_credit_counter.
// Speed: an adder, then a comparison.
//
// Invariant: no VC uses more than its reserve (proved in tests/rtl/proofs).
// Why its processes are always @*: rtl/README.md.
`default_nettype none

module xt_credit_reserves #(
  /// Number of VCs.
  parameter int Vcs = 2,
  /// Cells that each VC owns.
  parameter int Reserved = 16,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Number of length classes.
  parameter int Classes = 1,
  /// Cells of each length class, 8 bits each, ascending from the low bits.
  parameter logic [Classes*8-1:0] LengthClass = 8'd4,
  /// Cells that may leave uncounted between a decision and its effect.
  parameter int Margin = 5,
  /// Bits of a number of cells; enough for Reserved.
  parameter int CountBits = $clog2(Reserved + 1),
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
  /// A change has not reached credit_ok_o yet.
  output logic                   busy_o
);

  localparam int LeftBits = $clog2(Reserved + 1);
`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips what no packet and no credit asks for
`endif

  logic [ Vcs*LeftBits-1:0] left_q;  // cells of each reserve that are free
  logic                     changed_q, consume_q, credit_q;
  logic [   VcBits-1:0]     consume_vc_q, credit_vc_q;
  logic [  LenBits-1:0]     consume_len_q;

  // n >= least, from the low bit up: as plain logic, since a carry chain per comparison costs more.
  function automatic logic at_least(input logic [LeftBits-1:0] n, input logic [LeftBits-1:0] least);
    at_least = 1'b1;
    for (int b = 0; b < LeftBits; b++) at_least = least[b] ? n[b] & at_least : n[b] | at_least;
  endfunction
  // Number of length classes that fit into the rest of a VC's reserve.
  function automatic logic [CreditOkBits-1:0] credit_ok_for(input logic [LeftBits-1:0] left);
    credit_ok_for = '0;
    for (int c = 0; c < Classes - 1; c++) begin
      if (at_least(left, LeftBits'(32'(LengthClass[c*8+:8]) + Margin))) credit_ok_for = CreditOkBits'(c + 1);
    end
    credit_ok_for[CreditOkBits-1] = at_least(left, LeftBits'(32'(LengthClass[(Classes-1)*8+:8]) + Margin));
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      consume_q <= 1'b0;
      credit_q  <= 1'b0;
      changed_q <= 1'b1;
    end else begin
      consume_q <= consume_i;
      credit_q  <= credit_i;
      changed_q <= consume_q | credit_q;
    end
    credit_vc_q <= credit_vc_i;
    // The enable keeps synthesis from merging these registers with those that go with the cell, far from here.
    if (consume_i) begin
      consume_vc_q  <= consume_vc_i;
      consume_len_q <= consume_len_i;
    end
  end

  // One adder per VC: consuming n + 1 cells adds the complement of n.
  logic [ Vcs*LeftBits-1:0] left_d;
  logic [     LeftBits-1:0] consumed, credited;
  always @* begin
    consumed = '0;
    credited = '0;
    for (int v = 0; v < Vcs; v++) begin
      consumed                     = (consume_q && consume_vc_q == v[VcBits-1:0]) ? ~(LeftBits'(consume_len_q)) : '0;
      credited                     = LeftBits'(credit_q && credit_vc_q == v[VcBits-1:0]);
      left_d[v*LeftBits+:LeftBits] = left_q[v*LeftBits+:LeftBits] + consumed + credited;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) left_q <= {Vcs{LeftBits'(Reserved)}};
    else left_q <= left_d;

    if (!rst_ni) begin
      credit_ok_o <= '0;
    end else if (down_i) begin
      credit_ok_o <= '1;
    end else if (NoSkip || changed_q) begin  // at rest too: an upset does not last
      for (int v = 0; v < Vcs; v++) begin
        credit_ok_o[v*CreditOkBits+:CreditOkBits] <= credit_ok_for(left_q[v*LeftBits+:LeftBits]);
      end
    end
  end

  // Chosen before it is subtracted: only adaptive routing needs the others too.
  logic [LeftBits-1:0] read_left;
  always @* begin
    read_left = '0;
    for (int v = 0; v < Vcs; v++) begin
      used_o[v*CountBits+:CountBits] = CountBits'(Reserved) - CountBits'(left_q[v*LeftBits+:LeftBits]);
      if (read_vc_i == v[VcBits-1:0]) read_left = read_left | left_q[v*LeftBits+:LeftBits];
    end
  end
  assign read_used_o = CountBits'(Reserved) - CountBits'(read_left);

  assign outstanding_o = left_q != {Vcs{LeftBits'(Reserved)}};
  assign busy_o        = changed_q | credit_q | consume_q | consume_i;

`ifdef XT_ASSERT
  logic [Vcs-1:0] overconsumed, overpaid;
  always @* begin
    for (int v = 0; v < Vcs; v++) begin
      overconsumed[v] = consume_q && consume_vc_q == v[VcBits-1:0]
                    && 32'(left_q[v*LeftBits+:LeftBits]) < 32'(consume_len_q) + 1;
      overpaid[v]    = credit_q && credit_vc_q == v[VcBits-1:0] && !(consume_q && consume_vc_q == v[VcBits-1:0])
                    && 32'(left_q[v*LeftBits+:LeftBits]) == Reserved;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni && !restart_i) begin
      credit_reserves_never_overconsumed : assert (overconsumed == '0);
      credit_reserves_credit_was_consumed : assert (overpaid == '0);
    end
  end
`endif

endmodule

`default_nettype wire
