// SPDX-License-Identifier: Apache-2.0
//
// xt_round_robin: one grant, to a requester, whenever there is a request (its own assertions), and a
// steady request is served before any other requester is served twice.
`default_nettype none

module round_robin_proof #(
  parameter int Width = 5
) (
  input logic             clk_i,
  input logic [Width-1:0] request_i,
  input logic             advance_i
);

  logic             rst_n = 1'b0;
  logic [Width-1:0] grant;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  xt_round_robin #(
    .Width(Width)
  ) i_dut (
    .clk_i,
    .rst_ni   (rst_n),
    .request_i,
    .grant_o  (grant),
    .advance_i(advance_i && grant != '0),
    .served_i (grant)
  );

  // Some requester that asks until it is served, and who was served since it began to ask.
  (* anyconst *)logic [Width-1:0] watched;
  logic [Width-1:0] served_since = '0;  // known at first, so that the induction need not be deep
  logic             waits;
  assign waits = rst_n && (request_i & watched) != '0;

  always_ff @(posedge clk_i) begin
    if (!waits || (advance_i && (grant & watched) != '0)) served_since <= '0;
    else if (advance_i) served_since <= served_since | grant;
  end

  always_comb begin
    one_is_watched : assume (watched != '0 && (watched & (watched - 1'b1)) == '0);
    if (waits && advance_i) nobody_overtakes_twice : assert ((served_since & grant) == '0);
  end

endmodule

`default_nettype wire
