// SPDX-License-Identifier: Apache-2.0
//
// Round-robin arbiter. Of the requests at or above the pointer the lowest wins; if there is none, the
// lowest of all. The pointer moves just above the winner, and only when the caller says so, as iSLIP
// wants it.
//
// Fairness: a steady request is served after at most Width - 1 others, however many request.
// Cost: two priority chains of Width bits; the pointer is kept as a mask so that none is decoded.
// Latency: combinational; the pointer is registered.
`default_nettype none

module xt_round_robin #(
  /// Number of requesters.
  parameter int Width = 4
) (
  /// Clock.
  input  logic             clk_i,
  /// Reset, active low, synchronous.
  input  logic             rst_ni,
  /// Requests.
  input  logic [Width-1:0] request_i,
  /// One-hot winner; zero without a request.
  output logic [Width-1:0] grant_o,
  /// Move the pointer just above winner_i.
  input  logic             advance_i,
  /// One-hot: the requester that was served.
  input  logic [Width-1:0] served_i
);

  // Bit i is set when requester i is at or above the pointer.
  logic [Width-1:0] above_q;
  logic [Width-1:0] upper, chosen;

  // Bits above the lowest set one, by smearing upwards: a carry chain would be slower and larger.
  function automatic logic [Width-1:0] above(input logic [Width-1:0] bits);
    above = bits << 1;
    for (int k = 1; k < Width; k = k * 2) above = above | (above << k);
  endfunction

  assign upper   = request_i & above_q;
  assign chosen  = (upper != '0) ? upper : request_i;
  assign grant_o = chosen & ~above(chosen);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) above_q <= '1;
    else if (advance_i) above_q <= above(served_i);
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      round_robin_grants_a_requester : assert ((grant_o & ~request_i) == '0);
      round_robin_grants_one : assert ((grant_o & (grant_o - 1'b1)) == '0);
      round_robin_work_conserving : assert ((request_i == '0) == (grant_o == '0));
    end
  end
`endif

endmodule

`default_nettype wire
