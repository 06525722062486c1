// SPDX-License-Identifier: Apache-2.0
//
// Shares of the traffic classes at one output: a deficit round robin. In each round a TC may send
// (weight + 1) longest packets' worth of cells; a TC that has used its share is blocked as long as
// another one that has not wants the output. What a packet takes beyond the share is a debt for the next
// round. With equal weights nothing is ever blocked: the round robins of inputs and VCs decide.
//
// Fairness: debts end at two longest packets, so a TC that wants the output steadily sees at most
// 4 * sum over the others of (weight + 1) longest packets, 2 longest packets more of each of them, and Lag
// cells before it is served. Lag, the cycles from block_o to the starts that follow it, is 6 in the switch.
// Work conserving: of the TCs that wanted the output in the last cycle one at least is not blocked; a TC that
// has used its share loses up to Lag cycles whenever another one, with a share, stops wanting.
// Latency: block_o follows the start of a packet by 2 cycles and wanted_i by 1.
// Speed: an adder per TC, registered.
`default_nettype none

module xt_tc_weights #(
  /// Number of traffic classes.
  parameter int Tcs = 4,
  /// Bits of a packet length minus one.
  parameter int LenBits = 5,
  /// Bits of a TC number.
  localparam int TcBits = (Tcs > 1) ? $clog2(Tcs) : 1
) (
  /// Clock.
  input  logic               clk_i,
  /// Reset, active low, synchronous.
  input  logic               rst_ni,
  /// Weights, 4 bits per TC.
  input  logic [  Tcs*4-1:0] weight_i,
  /// TCs that have a packet that could start.
  input  logic [    Tcs-1:0] wanted_i,
  /// A packet starts.
  input  logic               start_i,
  /// Its TC.
  input  logic [ TcBits-1:0] start_tc_i,
  /// Its cells, minus one.
  input  logic [LenBits-1:0] start_len_i,
  /// TCs that must not start.
  output logic [    Tcs-1:0] block_o
);

  // A share of up to 16 packets, or a debt.
  localparam int ShareBits = LenBits + 6;

  logic [Tcs*ShareBits-1:0] share_q;  // signed: cells left of the round
  logic [          Tcs-1:0] left;
  logic                     weighted_q, round;

  for (genvar t = 0; t < Tcs; t++) begin : g_tc
    logic [ShareBits-1:0] share, quantum, refilled, charged;
    logic [          5:0] packets;  // of the quantum, which is whole packets
    logic                 deep;

    assign share    = share_q[t*ShareBits+:ShareBits];
    assign deep     = share[ShareBits-1] && share[ShareBits-2:LenBits] != '1;
    assign left[t]  = ~share[ShareBits-1] && share != '0;
    assign packets  = {2'b0, weight_i[t*4+:4]} + 1'b1;
    assign quantum  = {packets, {LenBits{1'b0}}};
    // What is left of a share is not kept.
    assign refilled = !round ? share : left[t] ? quantum
                    : {share[ShareBits-1:LenBits] + packets, share[LenBits-1:0]};
    // Less n + 1 is plus the complement of n.
    assign charged  = refilled + ((start_i && start_tc_i == t[TcBits-1:0]) ? ~(ShareBits'(start_len_i)) : '0);

    always_ff @(posedge clk_i) begin
      if (!rst_ni || !weighted_q) share_q[t*ShareBits+:ShareBits] <= quantum;
      // Beyond a debt of a longest packet nothing is charged: it would be paid for with as many rounds.
      else if (!deep || round) share_q[t*ShareBits+:ShareBits] <= charged;
    end
  end

  assign round = wanted_i != '0 && (wanted_i & left) == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      weighted_q <= 1'b0;
      block_o    <= '0;
    end else begin
      weighted_q <= weight_i != {Tcs{weight_i[3:0]}};
      block_o    <= (weighted_q && (wanted_i & left) != '0) ? ~left : '0;
    end
  end

endmodule

`default_nettype wire
