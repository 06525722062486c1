// SPDX-License-Identifier: Apache-2.0
//
// Credit counter with shared cells, the variant of xt_credits for Shared > 0 (profiles whose VCs share cells).
//
// Every VC owns Reserved cells of the buffer at the other end; all VCs share the other Shared cells. A packet consumes
// its VC's reserve first, then shared cells. A credit that comes back repays shared cells first. So the reserve of a VC
// is never lent out. A VC whose cells have all been credited can always take a whole packet: sharing cannot
// deadlock.
//
// credit_ok_o counts length classes. A VC with a credit_ok_o above c can take a packet of LengthClass[c] cells. With
// Sums what is left of the VC's reserve and the free shared cells count together. Without Sums one of them must have
// room for the whole packet: then a VC needs a flag per class in place of a number and an adder.
//
// xt_credit_usage counts the cells of the VCs. A credit for a VC that uses nothing is ignored: a flipped bit on a link
// without a link layer may bring one.
//
// Latency: a packet is consumed the cycle after its first cell is read (consume_i). credit_ok_o follows
// three cycles later, the requests a cycle after that. Between the decision to start a packet and its effect
// on credit_ok_o lie Margin cycles. In these at most Margin cells can leave by this output uncounted. So
// credit_ok_o asks for Margin cells more than the class has.
// Speed: LUT RAM, two adders and a comparison; no combinational path from an input to credit_ok_o.
//
// Invariants: 0 <= used <= Reserved + Shared for every VC. The shared cells lent out equal the sum
// over the VCs of the cells that each uses above its reserve (proved in tests/rtl/proofs).
`default_nettype none

module xt_credit_counter #(
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
  /// Fewer shared cells are free than room_i.
  output logic                   crowded_o,
  /// A change has not reached credit_ok_o yet.
  output logic                   busy_o
);

  if (Reserved < 32'(LengthClass[(Classes-1)*8+:8]) + Margin) begin : g_illegal
    xt_credit_counter_reserve_is_below_packet_plus_margin i_illegal ();
  end

  if (CountBits < $clog2(Reserved + Shared + 1)) begin : g_illegal_count
    xt_credit_counter_count_is_too_narrow i_illegal ();
  end

  // Cells that the longest class asks for.
  localparam int Limit = 32'(LengthClass[(Classes-1)*8+:8]) + Margin;
  localparam int LeftBits = $clog2(Reserved + 1);
  // Added to numbers of cells that are compared, and to that of free shared ones beforehand: the longest class asks for
  // 2^TopBit of them.
  localparam int TopBit = $clog2(Limit);
  localparam int Offset = (1 << TopBit) - Limit;
  localparam int SharedBits = $clog2(Shared + Offset + 1);
  localparam int SumBits = $clog2(Reserved + Shared + Offset + 1);
  localparam int LentBits = $clog2(Shared + 1);
  localparam int UsedBits = $clog2(Reserved + Shared + 1);
  // Of a VC's reserve is kept what is left, or without Sums the number of classes that fit into it.
  localparam int RoomBits = Sums ? LeftBits : CreditOkBits;

  logic [Vcs*RoomBits-1:0] room_q;
  logic [Vcs*UsedBits-1:0] used_q;
  logic [         Vcs-1:0] borrows_q;  // the VC uses more than its reserve
  logic [  SharedBits-1:0] shared_free_q;  // and Offset more
  logic                    changed_q;

  logic                    consumed_q, credited_q;  // a packet is consumed, a cell credited ...
  logic [      VcBits-1:0] consume_vc_q, credit_vc_q;  // ... on these VCs
  logic [     LenBits-1:0] consume_len_q;

  logic [    UsedBits-1:0] consume_new, credit_new, read_used;  // after it, and after the credit
  logic                    credit, pairs, repaid, lends;  // pairs: a packet and a credit of the same VC
  logic                    uses;  // the VC of the packet used cells before
  logic                    borrows_on, borrows_anew;  // the packet borrows; its VC had borrowed before, or had not
  logic [  SharedBits-1:0] with_reserve;  // free shared cells less the packet, and the VC's reserve
  logic [    RoomBits-1:0] consume_room, credit_room, whole_room;
  // verilator lint_off UNUSEDSIGNAL
  logic [    SharedBits:0] lent_sum, kept_sum;  // the lowest bit makes the carry
  logic [  UsedBits+1:0] above_sum;  // the highest bit: the packet ends above the reserve
  logic [    UsedBits-1:0] consume_used;  // before it; the upper bits cancel if few cells are shared
  // verilator lint_on UNUSEDSIGNAL

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips what no packet and no credit asks for
`endif

  xt_credit_usage #(
    .Vcs    (Vcs),
    .LenBits(LenBits),
    .Bits   (UsedBits)
  ) i_usage (
    .clk_i,
    .rst_ni        (rst_ni & ~restart_i),
    .consume_i     (consumed_q),
    .consume_vc_i  (consume_vc_q),
    .consume_len_i (consume_len_q),
    .consume_uses_o(uses),
    .consume_used_o(consume_used),
    .consume_new_o (consume_new),
    .credit_i      (credited_q),
    .credit_vc_i   (credit_vc_q),
    .credit_o      (credit),
    .credit_new_o  (credit_new),
    .read_vc_i,
    .read_used_o   (read_used),
    .outstanding_o
  );
  assign read_used_o = CountBits'(read_used);

  // n >= least, from the low bit up: as plain logic, since a carry chain per comparison costs more.
  function automatic logic at_least(input logic [UsedBits-1:0] n, input logic [UsedBits-1:0] least);
    at_least = 1'b1;
    for (int b = 0; b < UsedBits; b++) at_least = least[b] ? n[b] & at_least : n[b] | at_least;
  endfunction

  // Number of length classes that fit into `available`, a VC's cells plus Offset. The bits from TopBit on mean all.
  function automatic logic [CreditOkBits-1:0] credit_ok_for(input logic [SumBits-1:0] available);
    credit_ok_for = '0;
    for (int c = 0; c < Classes - 1; c++) begin
      if (at_least(UsedBits'(available[TopBit-1:0]), UsedBits'(Offset + 32'(LengthClass[c*8+:8]) + Margin)))
        credit_ok_for = CreditOkBits'(c + 1);
    end
    credit_ok_for[CreditOkBits-1] = available[SumBits-1:TopBit] != '0;
  endfunction

  // What of its reserve a VC has left, and how many length classes fit into that.
  function automatic logic [LeftBits-1:0] left_of(input logic [UsedBits-1:0] used);
    left_of = at_least(used, UsedBits'(Reserved)) ? '0 : LeftBits'(Reserved) - used[LeftBits-1:0];
  endfunction
  // some: the number is not 0, which its bits tell later.
  function automatic logic [CreditOkBits-1:0] fit_beside(input logic [UsedBits-1:0] used, input logic some);
    fit_beside = '0;
    for (int c = 0; c < Classes - 1; c++) begin
      if (!at_least(used, UsedBits'(Reserved - 32'(LengthClass[c*8+:8]) - Margin + 1))) fit_beside = CreditOkBits'(c + 1);
    end
    fit_beside[CreditOkBits-1] = (Reserved > Limit || !some) && !at_least(used, UsedBits'(Reserved - Limit + 1));
  endfunction
  function automatic logic [RoomBits-1:0] room_of(input logic [UsedBits-1:0] used, input logic some);
    room_of = Sums ? RoomBits'(left_of(used)) : RoomBits'(fit_beside(used, some));
  endfunction

  assign pairs        = credit && credit_vc_q == consume_vc_q;
  assign repaid       = credit && !(consumed_q && pairs) && borrows_q[credit_vc_q];  // it repays the shared cells first
  // What is used comes late, so each sum takes it last, and none waits for another. A whole reserve has room for a packet.
  assign above_sum    = {1'b0, consume_used, 1'b1} + {1'b0, UsedBits'((1 << UsedBits) - 1 - Reserved) + UsedBits'(consume_len_q), !pairs};
  assign borrows_on   = consumed_q && borrows_q[consume_vc_q];
  assign borrows_anew = consumed_q && uses && above_sum[UsedBits+1] && !borrows_q[consume_vc_q];
  assign lends        = borrows_on || borrows_anew;
  // Shared cells lend a whole packet, or what the reserve does not hold. A cell that comes back in the same cycle comes later
  // still; it is the packet's VC's, or repays what another VC borrowed.
  assign with_reserve = shared_free_q + ~(SharedBits'(consume_len_q)) + SharedBits'(Reserved + 1);
  assign lent_sum     = {with_reserve, 1'b1} + {~(SharedBits'(consume_used)), pairs | repaid};
  assign kept_sum     = {shared_free_q, 1'b1} + {borrows_on ? ~(SharedBits'(consume_len_q)) : '0, repaid || (borrows_on && pairs)};

  assign consume_room = room_of(consume_new, 1'b1);
  assign credit_room  = room_of(credit_new, 1'b0);
  assign whole_room   = room_of('0, 1'b0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      room_q        <= {Vcs{whole_room}};
      used_q        <= '0;
      borrows_q     <= '0;
      shared_free_q <= SharedBits'(Shared + Offset);
      consumed_q    <= 1'b0;
      credited_q    <= 1'b0;
      changed_q     <= 1'b1;
    end else begin
      consumed_q    <= consume_i;
      credited_q    <= credit_i;
      changed_q     <= consumed_q | credited_q;
      shared_free_q <= borrows_anew ? lent_sum[SharedBits:1] : kept_sum[SharedBits:1];
      if (NoSkip || consumed_q || credited_q) begin
        for (int v = 0; v < Vcs; v++) begin
          if (consumed_q && consume_vc_q == v[VcBits-1:0]) begin
            room_q[v*RoomBits+:RoomBits] <= consume_room;
            used_q[v*UsedBits+:UsedBits] <= consume_new;
            borrows_q[v]                 <= lends;
          end else if (credit && credit_vc_q == v[VcBits-1:0]) begin
            room_q[v*RoomBits+:RoomBits] <= credit_room;
            used_q[v*UsedBits+:UsedBits] <= credit_new;
            borrows_q[v]                 <= at_least(credit_new, UsedBits'(Reserved + 1));
          end
        end
      end
    end
    credit_vc_q  <= credit_vc_i;
    // The enable keeps synthesis from merging these registers with those that go with the cell, far from here.
    if (consume_i) begin
      consume_vc_q  <= consume_vc_i;
      consume_len_q <= consume_len_i;
    end
  end

  // Classes for which the shared cells alone have room.
  wire [CreditOkBits-1:0] shared_ok = credit_ok_for(SumBits'(shared_free_q));

  // The classes of the two, whichever are more.
  function automatic logic [CreditOkBits-1:0] more(input logic [CreditOkBits-1:0] a, input logic [CreditOkBits-1:0] b);
    more = (a > b) ? a : b;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credit_ok_o <= '0;
    end else if (down_i) begin
      credit_ok_o <= '1;
    end else if (NoSkip || changed_q) begin  // at rest too: an upset does not last
      for (int v = 0; v < Vcs; v++) begin
        credit_ok_o[v*CreditOkBits+:CreditOkBits] <=
            Sums ? credit_ok_for(SumBits'(room_q[v*RoomBits+:RoomBits]) + SumBits'(shared_free_q))
                 : more(room_q[v*RoomBits+:CreditOkBits], shared_ok);
      end
    end
  end

  for (genvar v = 0; v < Vcs; v++) begin : g_used
    assign used_o[v*CountBits+:CountBits] = CountBits'(used_q[v*UsedBits+:UsedBits]);
  end
  // No more than Shared cells are free, so the upper bits of room_i are looked at by themselves.
  assign crowded_o = (room_i >> LentBits) != '0
                  || (SharedBits + 1)'(shared_free_q) < (SharedBits + 1)'(room_i[LentBits-1:0]) + (SharedBits + 1)'(Offset);
  assign busy_o    = changed_q | credited_q | consumed_q | consume_i;

`ifdef XT_ASSERT
  // Shared cells that a VC has borrowed.
  function automatic logic [31:0] lent_of(input logic [UsedBits-1:0] used);
    lent_of = (32'(used) > Reserved) ? 32'(used) - Reserved : '0;
  endfunction

  // Icarus 11 wakes an always_comb by the process's own loop variables, for ever.
  logic [Vcs-1:0] used_wrong;
  logic [   31:0] lent, lent_out;
  always @* begin
    lent     = lent_of(consume_new) - (uses ? lent_of(consume_used) : '0);
    lent_out = '0;
    for (int v = 0; v < Vcs; v++) begin
      used_wrong[v] = 32'(used_q[v*UsedBits+:UsedBits]) > Reserved + Shared
                   || room_q[v*RoomBits+:RoomBits] != room_of(used_q[v*UsedBits+:UsedBits], 1'b0)
                   || borrows_q[v] != (32'(used_q[v*UsedBits+:UsedBits]) > Reserved);
      lent_out = lent_out + lent_of(used_q[v*UsedBits+:UsedBits]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni && !restart_i) begin
      credit_counter_never_overconsumed : assert (!lends || 32'(shared_free_q) >= lent + Offset);
      credit_counter_credit_was_consumed : assert (!credited_q || credit);
      credit_counter_used_is_told_alike : assert (used_wrong == '0);
      credit_counter_memories_tell_the_same : assert (32'(read_vc_i) >= Vcs || read_used_o == used_o[read_vc_i*CountBits+:CountBits]);
      credit_counter_shared_is_the_rest : assert (32'(shared_free_q) == Shared + Offset - lent_out);
    end
  end
`endif

endmodule

`default_nettype wire
