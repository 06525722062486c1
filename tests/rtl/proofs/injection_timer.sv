// SPDX-License-Identifier: Apache-2.0
//
// xt_injection_timer against a plain count of the cycles for which a packet has been queued without a match: a NIC gives
// way for exactly WAIT of them.
`default_nettype none

module injection_timer_proof (
  input logic       clk_i,
  input logic       queued_i,
  input logic       matched_i,
  input logic [2:0] wait_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // It is set once, before the first packet.
  logic [2:0] limit;
  logic       set = 1'b0;
  always_ff @(posedge clk_i) begin
    set <= rst_n;
    if (!set) limit <= wait_i;
  end

  logic gives_way, begun = 1'b0;
  xt_injection_timer #(
    .WaitBits(3)
  ) i_dut (
    .clk_i,
    .rst_ni     (rst_n),
    .wait_i     (limit),
    .queued_i   (queued_i && begun),
    .matched_i,
    .gives_way_o(gives_way)
  );

  logic [3:0] waited = '0;
  always_ff @(posedge clk_i) begin
    if (!begun || !queued_i || matched_i) waited <= '0;
    else if (waited != 4'd8) waited <= waited + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    begun <= set;
    if (begun) gives_way_for_exactly_wait : assert (gives_way == (waited < 4'(limit)));
  end

endmodule

`default_nettype wire
