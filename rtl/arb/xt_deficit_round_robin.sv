// SPDX-License-Identifier: Apache-2.0
//
// Deficit round robin over the traffic classes (TCs) of one output. In each round a TC may send (weight + 1) longest
// packets' worth of cells. A TC that has used its share is blocked while another TC with a share left wants the output.
// Cells beyond the share are a debt for the next round. With equal weights no TC is ever blocked: the round robins of
// inputs and VCs decide.
//
// Fairness: debts end at two longest packets, so the wait of a TC that wants the output steadily is bounded.
// Before a packet of the TC starts, the other TCs send a bounded number of cells. The bound is the sum of three terms:
// 4 * sum over the others of (weight + 1) longest packets; 2 longest packets of each other TC; Lag cells. Lag counts
// the cycles from block_o to the starts that block_o affects: 6 in the switch. Work conserving: of the TCs that wanted
// the output two cycles ago at least one is not blocked. A TC that has used its share loses up to Lag cycles
// whenever another TC with a share left stops wanting.
//
// Latency: block_o follows the start of a packet by 3 cycles and wanted_i by 2. Both inputs come from all input units,
// so one cycle is for the wires.
// Speed: an adder per TC, between registers.
`default_nettype none

module xt_deficit_round_robin #(
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
  /// TCs with a packet that may start.
  input  logic [    Tcs-1:0] wanted_i,
  /// A packet starts.
  input  logic               start_i,
  /// TC of the started packet.
  input  logic [ TcBits-1:0] start_tc_i,
  /// Cells of the started packet, minus one.
  input  logic [LenBits-1:0] start_len_i,
  /// Blocked TCs: no packet of theirs may start.
  output logic [    Tcs-1:0] block_o
);

  // A share of up to 16 packets, or a debt; signed. The count is less one, so its sign tells whether cells are left.
  localparam int RestBits = LenBits + 5;

  logic [Tcs*RestBits-1:0] rest_q;  // cells left of the round, less one
  logic [         Tcs-1:0] left;
  logic                    weighted_q, weighted, conserved, round, start, start_q;
  logic [         Tcs-1:0] wanted_q;
  logic [      TcBits-1:0] start_tc_q;
  logic [     LenBits-1:0] start_len_q;

  for (genvar t = 0; t < Tcs; t++) begin : g_tc
    logic [RestBits-1:0] rest, kept, added;
    logic                shallow, charged;

    assign rest    = rest_q[t*RestBits+:RestBits];
    assign left[t] = ~rest[RestBits-1];
    // A debt of up to a longest packet. There is none of more than two.
    assign shallow = left[t] || (rest[LenBits+1] && (rest[LenBits] || rest[LenBits-1:0] == '1));
    assign charged = start && start_tc_q == t[TcBits-1:0];
    // A new round discards the rest of a share, and the debts too while no weight matters.
    assign kept    = rest | {RestBits{round && (left[t] || !weighted_q)}};
    // A round adds weight + 1 longest packets in the high bits; a start takes len + 1 cells in the low bits. One sum
    // does both, with one more where no packet starts.
    assign added   = {round ? {1'b0, weight_i[t*4+:4]} : 5'h1f, charged ? ~start_len_q : {LenBits{1'b1}}};

    // A debt beyond a longest packet takes no more cells: each would only cost as many further rounds. With equal weights
    // nobody looks at what is left.
    always_ff @(posedge clk_i) begin
      if ((weighted || weighted_q) && (shallow || round)) rest_q[t*RestBits+:RestBits] <= kept + added + RestBits'(!charged);
    end
  end

  assign weighted  = weight_i != {Tcs{weight_i[3:0]}};
  assign start     = start_q & weighted_q;
  assign conserved = (wanted_q & left) != '0;
  assign round     = !weighted_q || (wanted_q != '0 && !conserved);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      weighted_q <= 1'b0;
      wanted_q   <= '0;
      start_q    <= 1'b0;
      block_o    <= '0;
    end else begin
      wanted_q   <= weighted_q ? wanted_i : '0;
      start_q    <= start_i;
      weighted_q <= weighted;
      block_o    <= (weighted_q && conserved) ? ~left : '0;
    end
    start_tc_q  <= start_tc_i;
    start_len_q <= start_len_i;
  end

endmodule

`default_nettype wire
