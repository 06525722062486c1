// SPDX-License-Identifier: Apache-2.0
//
// xt_injection_timers against plain counts of the cycles for which a packet has been queued without a match: an input gives
// way for exactly WAIT of them, whatever the other input does, or until it insists. WAIT may change at any time; an input goes by that of its
// last match or arrival. What was told a cycle ahead of an input that waits comes. Whether an input gives way that had no
// packet in the cycle before does not matter.
`default_nettype none

module injection_timers_proof #(
  parameter logic [1:0] Timed = 2'b11
) (
  input logic       clk_i,
  input logic [1:0] queued_i,
  input logic [1:0] matched_i,
  input logic [2:0] wait_i,
  input logic [1:0] insists_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic       begun = 1'b0;
  logic [1:0] gives_way, goes_on, told_q, waited_q, queued_q;
  always_ff @(posedge clk_i) begun <= rst_n;

  xt_injection_timers #(
    .Inputs  (2),
    .Timed   (Timed),
    .WaitBits(3)
  ) i_dut (
    .clk_i,
    .rst_ni     (rst_n),
    .wait_i,
    .queued_i   (queued_i & {2{begun}}),
    .matched_i,
    .insists_i,
    .gives_way_o(gives_way),
    .goes_on_o  (goes_on)
  );

  logic [5:0] left = '0;  // three bits per input
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 2; i++) begin
      if (!begun || !queued_i[i] || matched_i[i]) left[i*3+:3] <= rst_n ? wait_i : '0;
      else if (insists_i[i]) left[i*3+:3] <= '0;
      else if (left[i*3+:3] != '0) left[i*3+:3] <= left[i*3+:3] - 1'b1;
    end
    told_q   <= goes_on;
    waited_q <= queued_i & ~matched_i & {2{begun}};
    queued_q <= queued_i & {2{begun}};
    if (begun) begin
      gives_way_as_told : assert ((gives_way & waited_q) == (told_q & waited_q));
      gives_way_for_exactly_wait : assert ((gives_way & queued_q) == ({left[5:3] != '0, left[2:0] != '0} & Timed & queued_q));
    end
  end

endmodule

`default_nettype wire
