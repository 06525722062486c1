// SPDX-License-Identifier: Apache-2.0
//
// Output unit of one port: marks the cells that leave, counts the credits of the next buffer (xt_credits), and shares the
// output among traffic classes (xt_deficit_round_robin). The crossbar has the cells themselves.
//
// Latency: the marks of a cell come one cycle after its input's output_o, with the cell out of the crossbar. With a register
// in front of the crossbar it is two. credit_ok_o counts a packet 1 to 2 cycles later (xt_credits). A higher occupancy shows
// in usable_o and low_o a cycle after that.
// Speed: from the one input whose packet starts, over a choice among the inputs, to the credits.
`default_nettype none

module xt_output_unit #(
  /// Number of the port.
  parameter int Port = 0,
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1),
  /// Bits of a number of length classes.
  localparam int CreditOkBits = ((xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 0) + 1,
  /// VCs whose credits are counted: those of a link, or the one buffer of a NIC.
  localparam int CreditVcs = (Port < xt_pkg::LinkPorts) ? xt_pkg::Vcs : 1,
  /// Queues of an input for this output: one per VC of a link, one per TC at a NIC, which takes all TCs from one buffer.
  localparam int Queues = (Port < xt_pkg::LinkPorts) ? xt_pkg::Vcs : xt_pkg::Tcs
) (
  /// Clock.
  input  logic                                     clk_i,
  /// Reset, active low, synchronous.
  input  logic                                     rst_ni,

  /// Per input: its cell leaves by this output.
  input  logic [                xt_pkg::Ports-1:0] from_i,
  /// Per input: its cell is the first of its packet.
  input  logic [                xt_pkg::Ports-1:0] first_i,
  /// Per input: VC of the cell, at NIC outputs its traffic class.
  input  logic [ xt_pkg::Ports*xt_pkg::VcBits-1:0] vc_i,
  /// Per input: length of the packet, minus one.
  input  logic [xt_pkg::Ports*xt_pkg::LenBits-1:0] len_i,
  /// Per TC: a packet of some input wants this output.
  input  logic [                  xt_pkg::Tcs-1:0] wanted_i,

  /// A cell leaves.
  output logic                                     valid_o,
  /// The cell is the first of its packet.
  output logic                                     first_o,
  /// VC of the cell.
  output logic [               xt_pkg::VcBits-1:0] vc_o,
  /// Traffic class of the cell.
  output logic [               xt_pkg::TcBits-1:0] tc_o,
  /// A packet is leaving, or a cell that left is not credited.
  output logic                                     sending_o,

  /// Weights of the TCs, 4 bits each.
  input  logic [                xt_pkg::Tcs*4-1:0] weight_i,
  /// Start no packet.
  input  logic                                     hold_i,
  /// TCs of which no packet may start.
  output logic [                  xt_pkg::Tcs-1:0] block_o,

  /// A cell was freed in the next buffer.
  input  logic                                     credit_i,
  /// VC of the credit, at link ports.
  input  logic [               xt_pkg::VcBits-1:0] credit_vc_i,
  /// The link is down and drops cells, so credit_ok_o allows all packets.
  input  logic                                     down_i,
  /// The buffer at the other end of the link is empty, and no cell is on its way there.
  input  logic                                     restart_i,
  /// Per queue of an input: the length classes, counted from the shortest, for which there is room. Bit b of queue q is at
  /// b*Queues + q.
  output logic [          Queues*CreditOkBits-1:0] credit_ok_o,
  /// Shared cells free behind a link below which crowded_o is set.
  input  logic [                             15:0] room_i,
  /// Packets that enter the network or the link's ring do not start in the next cycle.
  output logic                                     crowded_o,
  /// Read-out of credits: a VC.
  input  logic [               xt_pkg::VcBits-1:0] read_vc_i,
  /// Read-out of credits: cells sent on that VC and not credited.
  output logic [                    CountBits-1:0] read_used_o,

  /// Adaptive routing: below so many cells used a VC is in the low range.
  input  logic [                             15:0] low_i,
  /// Adaptive routing: from so many cells on a VC is no candidate.
  input  logic [                             15:0] high_i,
  /// Adaptive routing: the link is a candidate.
  input  logic                                     grouped_i,
  /// Per TC: its adaptive VC is a candidate.
  output logic [                  xt_pkg::Tcs-1:0] usable_o,
  /// Per TC: its adaptive VC is in the low range.
  output logic [                  xt_pkg::Tcs-1:0] low_o,

  /// Credits are being counted.
  output logic                                     busy_o,
  /// Something moves here, or may in the next cycle.
  output logic                                     active_o
);

  // Cells that can leave uncounted between a match and its effect on credit_ok.
  localparam int Margin = 5;

  logic                       leaves, starts;
  logic [ xt_pkg::VcBits-1:0] vc;
  logic [xt_pkg::LenBits-1:0] len;
  logic [ xt_pkg::TcBits-1:0] tc;

  // Why always @*: rtl/README.md.
  always @* begin : leave
    int i, v, t;
    i      = 0;
    v      = 0;
    t      = 0;
    leaves = 1'b0;
    starts = 1'b0;
    vc     = '0;
    len    = '0;
    tc     = '0;
    if (xt_pkg::NoSkip != 0 || from_i != '0) begin
      for (i = 0; i < xt_pkg::Ports; i = i + 1) begin
        if (from_i[i]) begin
          leaves = 1'b1;
          starts = starts | first_i[i];
          vc     = vc | vc_i[i*xt_pkg::VcBits+:xt_pkg::VcBits];
          len    = len | len_i[i*xt_pkg::LenBits+:xt_pkg::LenBits];
        end
      end
      for (v = 0; v < xt_pkg::Vcs; v = v + 1) begin
        if (Port < xt_pkg::LinkPorts && vc == v[xt_pkg::VcBits-1:0]) tc = tc | xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
      end
      for (t = 0; t < xt_pkg::Tcs; t = t + 1) begin
        if (Port >= xt_pkg::LinkPorts && vc == xt_pkg::VcBits'(t)) tc = tc | t[xt_pkg::TcBits-1:0];
      end
    end
  end

  // What goes with the cell out of the crossbar.
  logic                       crosses, first_crosses;
  logic [ xt_pkg::VcBits-1:0] crossing_vc;
  logic [ xt_pkg::TcBits-1:0] crossing_tc;

  if (xt_pkg::CrossbarRegister != 0) begin : g_register
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        crosses       <= 1'b0;
        first_crosses <= 1'b0;
      end else begin
        crosses       <= leaves;
        first_crosses <= starts;
      end
      crossing_tc <= tc;
      crossing_vc <= vc;
    end
  end else begin : g_no_register
    assign crosses       = leaves;
    assign first_crosses = starts;
    assign crossing_tc   = tc;
    assign crossing_vc   = vc;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      first_o <= 1'b0;
    end else begin
      valid_o <= crosses;
      first_o <= first_crosses;
    end
    tc_o <= crossing_tc;
    vc_o <= crossing_vc;
  end

  // ---------------------------------------------------------------- shares of the traffic classes
  logic [xt_pkg::Tcs-1:0] blocked;

  if (xt_pkg::Tcs > 1) begin : g_weights
    xt_deficit_round_robin #(
      .Tcs    (xt_pkg::Tcs),
      .LenBits(xt_pkg::LenBits)
    ) i_deficit_round_robin (
      .clk_i,
      .rst_ni,
      .weight_i,
      .wanted_i,
      .start_i    (starts),
      .start_tc_i (tc),
      .start_len_i(len),
      .block_o    (blocked)
    );
  end else begin : g_one_class
    assign blocked = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{weight_i, wanted_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  always_ff @(posedge clk_i) block_o <= blocked | {xt_pkg::Tcs{hold_i}};

  // ---------------------------------------------------------------- credits
  logic outstanding;
  assign sending_o = leaves | crosses | valid_o | outstanding;
  assign active_o  = from_i != '0 || crosses || valid_o || wanted_i != '0 || credit_i || hold_i || down_i || restart_i || busy_o;

  logic [CreditVcs*CreditOkBits-1:0] credit_ok_of_vc;
  always_comb begin
    for (int q = 0; q < Queues; q++) begin
      for (int b = 0; b < CreditOkBits; b++) credit_ok_o[b*Queues+q] = credit_ok_of_vc[(q%CreditVcs)*CreditOkBits+b];
    end
  end

  if (Port < xt_pkg::LinkPorts) begin : g_link
    logic crowded;
    // verilator lint_off UNUSEDSIGNAL
    logic [xt_pkg::Vcs*CountBits-1:0] used_of_vc;  // looked at for adaptive VCs
    // verilator lint_on UNUSEDSIGNAL
    xt_credits #(
      .Vcs        (xt_pkg::Vcs),
      .Reserved   (xt_pkg::ReservedCells),
      .Shared     (xt_pkg::SharedCells),
      .LenBits    (xt_pkg::LenBits),
      .Classes    (xt_pkg::LengthClasses),
      .LengthClass(xt_pkg::LengthClass),
      .Sums       (xt_pkg::CreditSums != 0),
      .Margin     (Margin),
      .CountBits  (CountBits)
    ) i_credits (
      .clk_i,
      .rst_ni,
      .restart_i,
      .down_i,
      .room_i,
      .consume_i    (starts & ~down_i),
      .consume_vc_i (vc),
      .consume_len_i(len),
      .credit_i,
      .credit_vc_i,
      .credit_ok_o  (credit_ok_of_vc),
      .read_vc_i,
      .read_used_o,
      .used_o       (used_of_vc),
      .outstanding_o(outstanding),
      .crowded_o    (crowded),
      .busy_o
    );
    assign crowded_o = rst_ni & crowded & ~down_i;

    // Occupancy of the adaptive VC of each TC at the other end.
    if (xt_pkg::HasAdaptive != 0) begin : g_occupancy
      // n < limit; the upper bits of a limit are looked at once, for all n.
      function automatic logic below(input logic [CountBits-1:0] n, input logic [15:0] limit);
        below = (limit >> CountBits) != '0 || n < limit[CountBits-1:0];
      endfunction

      always_ff @(posedge clk_i) begin
        for (int t = 0; t < xt_pkg::Tcs; t++) begin
          usable_o[t] <= 1'b0;
          low_o[t]    <= 1'b0;
          for (int v = 0; v < xt_pkg::Vcs; v++) begin
            if (xt_pkg::VcAdaptive[v] && 32'(xt_pkg::VcTc[v*8+:8]) == t) begin
              usable_o[t] <= below(used_of_vc[v*CountBits+:CountBits], high_i) && !down_i && grouped_i;
              low_o[t]    <= below(used_of_vc[v*CountBits+:CountBits], low_i);
            end
          end
        end
      end
    end else begin : g_no_occupancy
      assign usable_o = '0;
      assign low_o    = '0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ^{low_i, high_i, grouped_i};
      // verilator lint_on UNUSEDSIGNAL
    end
  end else begin : g_nic
    // The NIC takes the packets of all traffic classes from one buffer.
    // verilator lint_off UNUSEDSIGNAL
    logic [CountBits-1:0] unused_used;
    logic unused_crowded;
    // verilator lint_on UNUSEDSIGNAL
    xt_credits #(
      .Vcs        (1),
      .Reserved   (xt_pkg::EjectCells),
      .Shared     (0),
      .LenBits    (xt_pkg::LenBits),
      .Classes    (xt_pkg::LengthClasses),
      .LengthClass(xt_pkg::LengthClass),
      .Sums       (xt_pkg::CreditSums != 0),
      .Margin     (Margin),
      .CountBits  (CountBits)
    ) i_credits (
      .clk_i,
      .rst_ni,
      .restart_i    (1'b0),
      .down_i       (1'b0),
      .room_i       (16'd0),
      .consume_i    (starts),
      .consume_vc_i (1'b0),
      .consume_len_i(len),
      .credit_i,
      .credit_vc_i  (1'b0),
      .credit_ok_o  (credit_ok_of_vc),
      .read_vc_i    (1'b0),
      .read_used_o,
      .used_o       (unused_used),
      .outstanding_o(outstanding),
      .crowded_o    (unused_crowded),
      .busy_o
    );
    assign crowded_o = 1'b0;
    assign usable_o  = '0;
    assign low_o     = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{credit_vc_i, down_i, restart_i, room_i, read_vc_i, low_i, high_i, grouped_i};
    // verilator lint_on UNUSEDSIGNAL
  end

endmodule

`default_nettype wire
