// SPDX-License-Identifier: Apache-2.0
//
// Credits of one output: how many cells the buffer at the other end of the link can still take.
//
// Every VC owns Reserved cells of that buffer; the other Shared ones belong to whoever needs them. A
// packet's cells are charged to its VC's reserve first, then to the shared cells; a credit that comes
// back repays the shared cells first. So the reserve of a VC is never lent out, and a VC whose cells
// have all been credited can always take a whole packet: sharing cannot deadlock.
//
// What a VC can take is told in classes of lengths: a VC for which room_o is more than c has room for a packet of
// LengthClass[c] cells.
//
// Latency: a packet is charged the cycle after its first cell is read (charge_i), and room_o follows three
// cycles later, the requests a cycle after that. Between the decision to start a packet and its effect on
// room_o lie Margin cycles, in which at most Margin cells can leave by this output uncharged; room_o
// therefore asks for Margin cells more than the class has.
// Speed: a multiplexer and two adders per pipeline step; nothing combinational from input to output.
//
// Invariants: 0 <= used <= Reserved + Shared for every VC and the shared cells lent out equal the sum
// over the VCs of what each uses above its reserve (proved in tests/proofs).
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
  /// Cells that may leave uncharged between a decision and its effect.
  parameter int Margin = 5,
  /// Bits of a number of cells; enough for Reserved + Shared.
  parameter int CountBits = $clog2(Reserved + Shared + 1),
  /// Bits of a VC number.
  localparam int VcBits = (Vcs > 1) ? $clog2(Vcs) : 1,
  /// Bits of a number of length classes, of which the uppermost says all (and perhaps more).
  localparam int RoomBits = ((Classes > 1) ? $clog2(Classes) : 0) + 1
) (
  /// Clock.
  input  logic                   clk_i,
  /// Reset, active low, synchronous: the buffer at the other end is empty.
  input  logic                   rst_ni,
  /// The buffer at the other end has been emptied, and nothing is on its way there.
  input  logic                   restart_i,
  /// A packet starts.
  input  logic                   charge_i,
  /// Its VC.
  input  logic [     VcBits-1:0] charge_vc_i,
  /// Its number of cells, minus one.
  input  logic [    LenBits-1:0] charge_len_i,
  /// One cell was freed at the other end.
  input  logic                   credit_i,
  /// The VC of that cell.
  input  logic [     VcBits-1:0] credit_vc_i,
  /// Room for a packet, per VC: of how many length classes, from the shortest on.
  output logic [Vcs*RoomBits-1:0] room_o,
  /// Read-out: VC.
  input  logic [     VcBits-1:0] read_vc_i,
  /// Read-out: cells of that VC charged and not credited.
  output logic [  CountBits-1:0] read_used_o,
  /// Cells charged and not credited, per VC.
  output logic [Vcs*CountBits-1:0] used_o,
  /// A change has not reached room_o yet.
  output logic                   busy_o
);

  if (Reserved < 32'(LengthClass[(Classes-1)*8+:8]) + Margin) begin : g_illegal
    xt_credit_counter_reserve_is_below_packet_plus_margin i_illegal ();
  end

  if (CountBits < $clog2(Reserved + Shared + 1)) begin : g_illegal_count
    xt_credit_counter_count_is_too_narrow i_illegal ();
  end

  localparam logic [CountBits-1:0] ReservedCells = CountBits'(Reserved);
  localparam logic [CountBits-1:0] SharedCells = CountBits'(Shared);
  // No check looks beyond this many cells.
  localparam int Limit = 32'(LengthClass[(Classes-1)*8+:8]) + Margin;
  localparam int LeftBits = $clog2(Reserved + 1);
  localparam int LimitBits = $clog2(Limit + 1);
  localparam int DiffBits = ((LeftBits > LenBits + 1) ? LeftBits : LenBits + 1) + 1;
  localparam int SumBits = $clog2(Reserved + Limit + 1);

  logic [Vcs*CountBits-1:0] used_q;  // charged and not credited
  logic [ Vcs*LeftBits-1:0] left_q;  // what that leaves of the reserve
  logic [          Vcs-1:0] over_q;  // it is more than the reserve
  logic [CountBits-1:0] shared_free_q;
  logic                 changed_q;

  logic                 charge_q, credit_q;
  logic [   VcBits-1:0] charge_vc_q, credit_vc_q;
  logic [    LenBits:0] charge_cells_q, charge_net_q;  // the latter less one if a credit comes for the same VC

  logic [CountBits-1:0] charge_used, charge_new, credit_used, credit_new;
  logic [ LeftBits-1:0] charge_left, charge_rest, charge_left_new, credit_left, credit_left_new;
  logic [DiffBits-1:0]  difference;  // signed: what a charge leaves of the reserve
  logic [CountBits-1:0] borrowed;  // signed, 0 or less: what it takes of the shared cells
  logic                 same, short_of, credit_over, repaid;

  always_comb begin
    charge_used = '0;
    charge_left = '0;
    credit_used = '0;
    credit_left = '0;
    credit_over = 1'b0;
    for (int v = 0; v < Vcs; v++) begin
      if (charge_vc_q == v[VcBits-1:0]) begin
        charge_used = charge_used | used_q[v*CountBits+:CountBits];
        charge_left = charge_left | left_q[v*LeftBits+:LeftBits];
      end
      if (credit_vc_q == v[VcBits-1:0]) begin
        credit_used = credit_used | used_q[v*CountBits+:CountBits];
        credit_left = credit_left | left_q[v*LeftBits+:LeftBits];
        credit_over = credit_over | over_q[v];
      end
    end
    same       = charge_q && credit_q && charge_vc_q == credit_vc_q;
    difference = DiffBits'(charge_left) - DiffBits'(charge_cells_q);
    short_of   = difference[DiffBits-1];
    // What the reserve does not hold is lent of the shared cells; a credit repays them first.
    borrowed        = (charge_q && short_of) ? CountBits'($signed(difference)) : '0;
    repaid          = credit_q && (same ? short_of : credit_over);
    charge_new      = charge_used + CountBits'(charge_net_q);
    charge_rest     = short_of ? '0 : LeftBits'(difference);
    charge_left_new = (same && !short_of) ? charge_rest + 1'b1 : charge_rest;
    credit_new      = credit_used - 1'b1;
    credit_left_new = credit_over ? credit_left : credit_left + 1'b1;
  end

  // n >= least, from the low bit up: as plain logic, since a carry chain per comparison costs more.
  function automatic logic at_least(input logic [CountBits-1:0] n, input logic [CountBits-1:0] least);
    at_least = 1'b1;
    for (int b = 0; b < CountBits; b++) at_least = least[b] ? n[b] & at_least : n[b] | at_least;
  endfunction
  function automatic logic above_reserve(input logic [CountBits-1:0] used);
    above_reserve = at_least(used, ReservedCells + 1'b1);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      used_q        <= '0;
      left_q        <= {Vcs{LeftBits'(Reserved)}};
      over_q        <= '0;
      shared_free_q <= SharedCells;
      charge_q      <= 1'b0;
      credit_q      <= 1'b0;
      changed_q     <= 1'b1;
    end else begin
      charge_q  <= charge_i;
      credit_q  <= credit_i;
      changed_q <= charge_q | credit_q;
      if (charge_q | credit_q) shared_free_q <= shared_free_q + borrowed + CountBits'(repaid);
      for (int v = 0; v < Vcs; v++) begin
        if (charge_q && charge_vc_q == v[VcBits-1:0]) begin
          used_q[v*CountBits+:CountBits] <= charge_new;
          left_q[v*LeftBits+:LeftBits]   <= charge_left_new;
          over_q[v]                      <= above_reserve(charge_new);
        end else if (credit_q && credit_vc_q == v[VcBits-1:0]) begin
          used_q[v*CountBits+:CountBits] <= credit_new;
          left_q[v*LeftBits+:LeftBits]   <= credit_left_new;
          over_q[v]                      <= above_reserve(credit_new);
        end
      end
    end
    charge_vc_q    <= charge_vc_i;
    charge_cells_q <= {1'b0, charge_len_i} + 1'b1;
    charge_net_q   <= {1'b0, charge_len_i} + {{LenBits{1'b0}}, ~(credit_i && charge_vc_i == credit_vc_i)};
    credit_vc_q    <= credit_vc_i;
  end

  // How many length classes fit into what is left of a VC's reserve and the shared cells.
  function automatic logic [RoomBits-1:0] room_for(input logic [LeftBits-1:0] left,
                                                   input logic [LimitBits-1:0] shared_free);
    logic [SumBits-1:0] available;
    available = SumBits'(left) + SumBits'(shared_free);
    room_for  = '0;
    for (int c = 0; c < Classes; c++) begin
      if (at_least(CountBits'(available), CountBits'(32'(LengthClass[c*8+:8]) + Margin))) room_for = RoomBits'(c + 1);
    end
  endfunction

  logic [LimitBits-1:0] shared_seen;
  assign shared_seen = at_least(shared_free_q, CountBits'(Limit)) ? LimitBits'(Limit) : LimitBits'(shared_free_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      room_o <= '0;
    end else if (changed_q) begin
      for (int v = 0; v < Vcs; v++) begin
        room_o[v*RoomBits+:RoomBits] <= room_for(left_q[v*LeftBits+:LeftBits], shared_seen);
      end
    end
  end

  always_comb begin
    read_used_o = '0;
    for (int v = 0; v < Vcs; v++) begin
      if (read_vc_i == v[VcBits-1:0]) read_used_o = read_used_o | used_q[v*CountBits+:CountBits];
    end
  end

  assign used_o = used_q;
  assign busy_o = changed_q | credit_q | charge_q | charge_i;

`ifdef XT_ASSERT
  function automatic logic [CountBits-1:0] beyond_reserve(input logic [CountBits-1:0] used);
    beyond_reserve = (used > ReservedCells) ? used - ReservedCells : '0;
  endfunction

  logic [      Vcs-1:0] left_wrong, over_wrong;
  logic [CountBits-1:0] lent_out;
  always_comb begin
    lent_out = '0;
    for (int v = 0; v < Vcs; v++) begin
      left_wrong[v] = CountBits'(left_q[v*LeftBits+:LeftBits]) != ((used_q[v*CountBits+:CountBits] < ReservedCells)
                    ? ReservedCells - used_q[v*CountBits+:CountBits] : '0);
      over_wrong[v] = over_q[v] != (used_q[v*CountBits+:CountBits] > ReservedCells);
      lent_out      = lent_out + beyond_reserve(used_q[v*CountBits+:CountBits]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni && !restart_i) begin
      credit_counter_never_overcharged : assert (!charge_q || shared_free_q >= -borrowed);
      credit_counter_credit_was_charged : assert (!credit_q || same || credit_used != '0);
      credit_counter_left_is_the_rest : assert (left_wrong == '0);
      credit_counter_over_is_told : assert (over_wrong == '0);
      credit_counter_shared_is_the_rest : assert (shared_free_q == SharedCells - lent_out);
    end
  end
`endif

endmodule

`default_nettype wire
