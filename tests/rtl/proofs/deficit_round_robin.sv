// SPDX-License-Identifier: Apache-2.0
//
// xt_deficit_round_robin at an output of the switch. Any class may want the output, and any packet may start.
// A class starts no packet if the class was blocked Lag cycles before, or did not want the output.
//
// A class that steadily wants the output waits for a stated number of cells of the others. That number is
// their shares, and the packets decided on before they were blocked. At least one of the classes that want
// the output is not blocked. Equal weights block nobody.
`default_nettype none

module deficit_round_robin_proof #(
  parameter int Tcs = 2,
  parameter int LenBits = 1,
  /// Weights are below this.
  parameter int Weights = 2,
  localparam int TcBits = $clog2(Tcs)
) (
  input logic               clk_i,
  input logic [    Tcs-1:0] wanted_i,
  input logic               start_i,
  input logic [ TcBits-1:0] start_tc_i,
  input logic [LenBits-1:0] start_len_i
);

  // A start in cycle c was matched in c-2, requested in c-3 by a class that wanted_i shows in c-2, and not
  // blocked then, which is block_o of c-4.
  localparam int Lag = 4;
  localparam int Longest = 1 << LenBits;
  localparam int Rounds = 4;

  logic rst_n = 1'b0, running_q = 1'b0;
  always_ff @(posedge clk_i) begin
    rst_n     <= 1'b1;
    running_q <= rst_n;  // the shares are those of the weights
  end

  (* anyconst *)logic [Tcs*4-1:0] weights;
  (* anyconst *)logic [Tcs-1:0] watched;

  // ---------------------------------------------------------------- the output
  logic [Tcs-1:0] block;
  logic [Tcs*Lag-1:0] blocked = '0;  // that of the last Lag cycles, the oldest on top
  logic [LenBits-1:0] left    = '0;  // cells of the packet that leaves, after this one
  logic               start;
  logic [2*Tcs-1:0] wanted = '0;  // that of the last two cycles
  assign start = rst_n && running_q && start_i && left == '0 && !blocked[(Lag-1)*Tcs+32'(start_tc_i)]
              && wanted[Tcs+32'(start_tc_i)];

  always_ff @(posedge clk_i) begin
    wanted  <= {wanted[Tcs-1:0], wanted_i};
    blocked <= {blocked[(Lag-1)*Tcs-1:0], block};
    if (start) left <= start_len_i;
    else if (left != '0) left <= left - 1'b1;
  end

  xt_deficit_round_robin #(
    .Tcs    (Tcs),
    .LenBits(LenBits)
  ) i_dut (
    .clk_i,
    .rst_ni     (rst_n),
    .weight_i   (weights),
    .wanted_i   (wanted_i),
    .start_i    (start),
    .start_tc_i (start_tc_i),
    .start_len_i(start_len_i),
    .block_o    (block)
  );

  // ---------------------------------------------------------------- what must hold
  logic [Tcs-1:0] wanted_q = '0, wanted_qq = '0;
  logic           asks, served, equal;
  logic [    9:0] overtaken = '0, bound;  // cells of others while the watched one waits

  assign asks   = (wanted_i & watched) != '0;
  assign served = start && watched[start_tc_i];
  assign equal  = weights == {Tcs{weights[3:0]}};

  // A class owes at most two longest packets, so in the third round it has a share again. The others send
  // their shares of these rounds and of the one in which it began to wait, and go into debt once.
  logic [9:0] quantum_sum;
  always_comb begin
    quantum_sum = '0;
    for (int t = 0; t < Tcs; t++) begin
      if (!watched[t]) quantum_sum = quantum_sum + ((10'(weights[t*4+:4]) + 10'd1) << LenBits);
    end
    bound = 10'(Rounds) * quantum_sum + 10'((Tcs - 1) * 2 * Longest + Lag);
  end

  always_ff @(posedge clk_i) begin
    wanted_q  <= (rst_n && running_q) ? wanted_i : '0;
    wanted_qq <= wanted_q;
    if (!rst_n || !asks || served) overtaken <= '0;
    else if (start) overtaken <= overtaken + 10'(start_len_i) + 10'd1;
  end

  logic low;
  always_comb begin
    low = 1'b1;
    one_is_watched : assume (watched != '0 && (watched & (watched - 1'b1)) == '0);
    for (int t = 0; t < Tcs; t++) low = low && 32'(weights[t*4+:4]) < Weights;
    weights_are_small : assume (low);
    tc_exists : assume (32'(start_tc_i) < Tcs);
    if (rst_n) begin
      if (wanted_qq != '0) work_is_conserved : assert ((wanted_qq & ~block) != '0);
      if (equal) equal_weights_block_nobody : assert (block == '0);
      if (!equal && asks && !served) waits_boundedly : assert (overtaken <= bound);
    end
  end

endmodule

`default_nettype wire
