// SPDX-License-Identifier: Apache-2.0
//
// xt_retry_tx with any acks and nacks: something that stays unacknowledged without any progress for
// (limit + 1) * timeout cycles has led to failed_o by then.
`default_nettype none

module retry_bound_proof #(
  parameter int Timeout = 5,
  parameter int Limit = 2,
  parameter bit Bypass = 1'b1
) (
  input logic       clk_i,
  input logic       push_i,
  input logic       ready_i,
  input logic       ack_valid_i,
  input logic [2:0] ack_i,
  input logic       nack_i
);

  logic       rst_n = 1'b0;
  logic [2:0] now = '0;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    now   <= now + 1'b1;
  end

  logic       push, valid, failed, item, unused_replay, unused_timeout, unused_drained, unused_unacked;
  logic [2:0] used, seq;

  assign push = rst_n & push_i & (used < 3'd4);

  xt_retry_tx #(
    .Bits       (1),
    .Depth      (4),
    .Bypass     (Bypass),
    .TimeoutBits(3),
    .LimitBits  (2)
  ) i_tx (
    .clk_i,
    .rst_ni       (rst_n),
    .push_i       (push),
    .item_i       (1'b0),
    .valid_o      (valid),
    .seq_o        (seq),
    .item_o       (item),
    .ready_i,
    .ack_valid_i  (rst_n & ack_valid_i),
    .ack_i,
    .nack_i,
    .now_i        (now),
    .expiry_i     (now + 3'(Timeout)),
    .retry_limit_i(2'(Limit)),
    .retries_i    (Limit != 0),
    .drain_i      (1'b0),
    .drained_o    (unused_drained),
    .used_o       (used),
    .unacked_o    (unused_unacked),
    .replay_o     (unused_replay),
    .timeout_o    (unused_timeout),
    .failed_o     (failed)
  );

  // Cycles without progress since something is unacknowledged or since the last progress.
  logic [2:0] pushes = '0, oldest, oldest_q = '0;
  logic [5:0] age = '0;
  logic       failed_q = 1'b0;

  assign oldest = pushes - used;

  always_ff @(posedge clk_i) begin
    if (push) pushes <= pushes + 1'b1;
    oldest_q <= oldest;
    age      <= (used == '0) ? '0 : (oldest != oldest_q) ? 6'd1 : age + 1'b1;
    failed_q <= rst_n & (failed_q | failed);
  end

  always_comb begin
    if (rst_n && !failed_q && used != '0 && oldest == oldest_q) begin
      fails_in_time : assert (failed || 32'(age) < (Limit + 1) * Timeout);
    end
  end

endmodule

`default_nettype wire
