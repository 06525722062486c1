// SPDX-License-Identifier: Apache-2.0
//
// Credit counter with shared cells, the variant of xt_credits for Shared > 0 (profiles dort, extoll, extoll10, extoll64, node).
//
// Every VC owns Reserved cells of the buffer at the other end; all VCs share the other Shared cells. A packet consumes
// its VC's reserve first, then shared cells. A credit that comes back repays shared cells first. So the reserve of a VC
// is never lent out. A VC whose cells have all been credited can always take a whole packet: sharing cannot
// deadlock.
//
// credit_ok_o counts length classes. A VC with a credit_ok_o above c can take a packet of LengthClass[c] cells.
//
// A VC that has taken shared cells has an empty reserve; so one number per VC tells both. It counts down from the reserve
// with ones above. While the upper bits are ones, the lower bits are what is left of the reserve. Otherwise the VC has
// shared cells.
//
// Latency: a packet is consumed the cycle after its first cell is read (consume_i). credit_ok_o follows
// three cycles later, the requests a cycle after that. Between the decision to start a packet and its effect
// on credit_ok_o lie Margin cycles. In these at most Margin cells can leave by this output uncounted. So
// credit_ok_o asks for Margin cells more than the class has.
// Speed: a multiplexer and an adder per pipeline step; no combinational path from an input to credit_ok_o.
//
// Invariants: 0 <= used <= Reserved + Shared for every VC. The shared cells lent out equal the sum
// over the VCs of the cells that each uses above its reserve (proved in tests/rtl/proofs).
// Its processes are `always @*`: Icarus 11 wakes such an always_comb by the process's own loop variables, for ever.
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
  localparam int StateBits = $clog2((1 << LeftBits) + Shared);
  // State of a VC without a consumed cell.
  localparam int Unused = (1 << StateBits) - (1 << LeftBits) + Reserved;
  localparam int UsedBits = $clog2(Reserved + Shared + 1);

  // Per VC: Unused less the cells consumed and not credited.
  logic [Vcs*StateBits-1:0] state_q;
  logic [ SharedBits-1:0] shared_free_q;  // and Offset more
  logic                   changed_q;

  logic                   consumed_q;  // a packet is consumed ...
  logic [        Vcs-1:0] consume_q;  // ... to this VC
  logic [      LenBits-1:0] consume_len_q;
  logic [        Vcs-1:0] credit_q;  // this VC is credited

  logic [        Vcs-1:0] over;
  logic [  StateBits-1:0] consume_state, consume_new, credit_state, credit_new;
  logic [   LeftBits-1:0] consume_left;
  logic                   pairs, consume_over, repaid;  // pairs: a packet and a credit of the same VC
  logic [ SharedBits-1:0] shared_less, lent_free;
  // verilator lint_off UNUSEDSIGNAL
  logic [    StateBits:0] consume_sum;  // the lowest bit makes the carry
  logic [   SharedBits:0] less_sum, lent_sum;
  // verilator lint_on UNUSEDSIGNAL

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips what no packet and no credit asks for
`endif

  always_comb begin
    over          = '0;
    consume_state = '0;
    credit_state  = '0;
    if (NoSkip || consumed_q || changed_q || credit_q != '0) begin
      for (int v = 0; v < Vcs; v++) begin
        over[v]       = state_q[v*StateBits+LeftBits+:StateBits-LeftBits] != '1;
        consume_state = consume_state | (state_q[v*StateBits+:StateBits] & {StateBits{consume_q[v]}});
        credit_state  = credit_state | (state_q[v*StateBits+:StateBits] & {StateBits{credit_q[v]}});
      end
    end
  end
  assign pairs        = (credit_q & consume_q) != '0;
  assign consume_over = consume_state[StateBits-1:LeftBits] != '1;
  assign consume_left = consume_state[LeftBits-1:0] & {LeftBits{!consume_over}};
  // Less the length (consume_len_q + 1), and a cell credited in the same cycle.
  assign consume_sum = {consume_state, 1'b1} + {~(StateBits'(consume_len_q)), pairs};
  assign consume_new = consume_sum[StateBits:1];
  assign credit_new  = credit_state + 1'b1;
  assign repaid      = (credit_q & ~consume_q & over) != '0;  // a credit repays the shared cells first
  // Shared cells lend the part that the reserve does not hold.
  assign less_sum    = {shared_free_q, 1'b1} + {~(SharedBits'(consume_len_q)), pairs};
  assign shared_less = less_sum[SharedBits:1];
  assign lent_sum    = {shared_less, 1'b1} + {SharedBits'(consume_left), repaid};
  assign lent_free   = lent_sum[SharedBits:1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      state_q       <= {Vcs{StateBits'(Unused)}};
      shared_free_q <= SharedBits'(Shared + Offset);
      consumed_q    <= 1'b0;
      consume_q     <= '0;
      credit_q      <= '0;
      changed_q     <= 1'b1;
    end else begin
      consumed_q    <= consume_i;
      changed_q     <= consumed_q | (credit_q != '0);
      shared_free_q <= (consumed_q && consume_new[StateBits-1:LeftBits] != '1) ? lent_free : shared_free_q + SharedBits'(repaid);
      consume_q     <= '0;
      credit_q      <= '0;
      if (NoSkip || consume_i || credit_i) begin
        for (int v = 0; v < Vcs; v++) begin
          consume_q[v] <= consume_i && consume_vc_i == v[VcBits-1:0];
          credit_q[v]  <= credit_i && credit_vc_i == v[VcBits-1:0];
        end
      end
      if (NoSkip || consumed_q || credit_q != '0) begin
        for (int v = 0; v < Vcs; v++) begin
          if (consume_q[v]) state_q[v*StateBits+:StateBits] <= consume_new;
          else if (credit_q[v]) state_q[v*StateBits+:StateBits] <= credit_new;
        end
      end
    end
    // The enable keeps synthesis from merging this register with the length that goes with the cell, far from here.
    if (consume_i) consume_len_q <= consume_len_i;
  end

  // n >= least, from the low bit up: as plain logic, since a carry chain per comparison costs more.
  function automatic logic at_least(input logic [TopBit-1:0] n, input logic [TopBit-1:0] least);
    at_least = 1'b1;
    for (int b = 0; b < TopBit; b++) at_least = least[b] ? n[b] & at_least : n[b] | at_least;
  endfunction

  // Number of length classes that fit into `available`, a VC's cells plus Offset. The bits from TopBit on mean all.
  function automatic logic [CreditOkBits-1:0] credit_ok_for(input logic [SumBits-1:0] available);
    credit_ok_for = '0;
    for (int c = 0; c < Classes - 1; c++) begin
      if (at_least(available[TopBit-1:0], TopBit'(Offset + 32'(LengthClass[c*8+:8]) + Margin)))
        credit_ok_for = CreditOkBits'(c + 1);
    end
    credit_ok_for[CreditOkBits-1] = available[SumBits-1:TopBit] != '0;
  endfunction

  // Classes for which the shared cells alone have room.
  wire [CreditOkBits-1:0] shared_ok = credit_ok_for(SumBits'(shared_free_q));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credit_ok_o <= '0;
    end else if (down_i) begin
      credit_ok_o <= '1;
    end else if (changed_q) begin
      for (int v = 0; v < Vcs; v++) begin
        credit_ok_o[v*CreditOkBits+:CreditOkBits] <=
            over[v] ? shared_ok : credit_ok_for(SumBits'(state_q[v*StateBits+:LeftBits]) + SumBits'(shared_free_q));
      end
    end
  end

  // The difference has UsedBits bits, so higher bits of the state do not matter.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [CountBits-1:0] used_of(input logic [StateBits-1:0] state);
    // verilator lint_on UNUSEDSIGNAL
    logic [UsedBits-1:0] n;
    n       = UsedBits'(Unused) - UsedBits'(state);
    used_of = CountBits'(n);
  endfunction

  logic [StateBits-1:0] read_differs;  // the bits of the read VC's state that are not those of Unused
  always_comb begin
    read_differs = '0;
    used_o       = '0;
    if (NoSkip || outstanding_o) begin
      for (int v = 0; v < Vcs; v++) begin
        if (read_vc_i == v[VcBits-1:0]) read_differs = read_differs | (state_q[v*StateBits+:StateBits] ^ StateBits'(Unused));
        used_o[v*CountBits+:CountBits] = used_of(state_q[v*StateBits+:StateBits]);
      end
    end
  end
  assign outstanding_o = state_q != {Vcs{StateBits'(Unused)}};

  assign read_used_o = used_of(read_differs ^ StateBits'(Unused));
  // No more than Shared cells are free, so the upper bits of room_i are looked at by themselves.
  assign crowded_o   = (room_i >> LentBits) != '0
                    || (SharedBits + 1)'(shared_free_q) < (SharedBits + 1)'(room_i[LentBits-1:0]) + (SharedBits + 1)'(Offset);
  assign busy_o      = changed_q | (credit_q != '0) | consumed_q | consume_i;

`ifdef XT_ASSERT
  // Shared cells that a state tells of.
  function automatic logic [31:0] lent_of(input logic [StateBits-1:0] state);
    lent_of = (32'(state) < Unused - Reserved) ? Unused - Reserved - 32'(state) : '0;
  endfunction

  logic [      Vcs-1:0] state_wrong;
  logic [         31:0] lent, lent_out;
  always @* begin
    lent     = lent_of(consume_new) - lent_of(consume_state);
    lent_out = '0;
    for (int v = 0; v < Vcs; v++) begin
      state_wrong[v] = 32'(state_q[v*StateBits+:StateBits]) > Unused
                    || 32'(state_q[v*StateBits+:StateBits]) < Unused - Reserved - Shared;
      lent_out = lent_out + lent_of(state_q[v*StateBits+:StateBits]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni && !restart_i) begin
      credit_counter_never_overconsumed :
        assert (!consumed_q || consume_new[StateBits-1:LeftBits] == '1 || 32'(shared_free_q) >= lent + Offset);
      credit_counter_credit_was_consumed : assert (credit_q == '0 || credit_state != StateBits'(Unused));
      credit_counter_state_is_of_its_kind : assert (state_wrong == '0);
      credit_counter_shared_is_the_rest : assert (32'(shared_free_q) == Shared + Offset - lent_out);
    end
  end
`endif

endmodule

`default_nettype wire
