// SPDX-License-Identifier: Apache-2.0
//
// xt_retry_tx and xt_retry_rx with a channel of Latency cycles in each direction. The channel loses or
// damages anything at any time, and a timeout may strike at any time. Each pushed item is delivered once and
// in order. No item is forgotten before its delivery. The window is never exceeded.
//
// With Errors >= 0 the channel makes at most so many errors, and the timeout is longer than the round trip.
// The receiver answers at once. The oldest item is then delivered within a timeout per error and Latency + 3
// cycles, one more without the bypass.
`default_nettype none

module retry_proof #(
  parameter int Depth = 4,
  parameter int Bits = 2,
  parameter int Latency = 1,
  parameter int Errors = -1,
  parameter bit Bypass = 1'b1,
  localparam int SeqBits = $clog2(Depth) + 1
) (
  input logic            clk_i,
  input logic            push_i,
  input logic [Bits-1:0] item_i,
  input logic            ready_i,
  input logic            lose_i,     // the frame under way vanishes
  input logic            damage_i,   // there is a frame that is not intact
  input logic            answer_i,   // a frame leaves the receiver's end
  input logic            lose_back_i,
  input logic [     3:0] timeout_i
);

  localparam bit Live = Errors >= 0;
  // Longer than from sending an item to its ack's arrival.
  localparam int Timeout = 2 * Latency + 5;
  localparam int Bound = Errors * Timeout + Latency + (Bypass ? 3 : 4);

  logic       rst_n = 1'b0;
  logic [3:0] now = '0;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    now   <= now + 1'b1;
  end

  logic               push, valid, unacked, deliver, nack, pending, answer, ready;
  logic [   Bits-1:0] item;
  logic [SeqBits-1:0] seq, ack, used;
  logic [        3:0] timeout;
  logic               unused_replay, unused_timeout, unused_failed, unused_drained;

  // Forth: {damaged, item present, number, item}; back: {frame present, nack, ack}.
  logic [Latency*(SeqBits+Bits+2)-1:0] forth = '0;
  logic [Latency*(SeqBits+2)-1:0] back = '0;
  logic               at_damaged, at_valid, back_valid, back_nack;
  logic [SeqBits-1:0] at_seq, back_ack;
  logic [   Bits-1:0] at_item;

  assign push    = rst_n & push_i & (used < SeqBits'(Depth));
  assign ready   = Live | ready_i;
  assign answer  = Live ? pending : answer_i;
  assign timeout = Live ? 4'(Timeout) : timeout_i;
  assign {at_damaged, at_valid, at_seq, at_item} = forth[SeqBits+Bits+1:0];
  assign {back_valid, back_nack, back_ack} = back[SeqBits+1:0];

  // An item is read in the cycle after its offer.
  logic send = 1'b0;
  logic [SeqBits-1:0] sent_seq = '0;
  logic lost, damaged, lost_back;
  always_ff @(posedge clk_i) begin
    send     <= rst_n & valid & ready;
    sent_seq <= seq;
  end

  if (Live) begin : g_few_errors
    logic [3:0] errors = '0;
    logic       may_err;
    // One error per cycle, of whatever kind.
    assign may_err   = errors < 4'(Errors);
    assign damaged   = rst_n & damage_i & may_err;
    assign lost      = lose_i & may_err & ~damaged;
    assign lost_back = lose_back_i & may_err & ~damaged & ~lost;
    always_ff @(posedge clk_i) begin
      if (damaged || (lost && send) || (lost_back && answer)) errors <= errors + 1'b1;
    end
  end else begin : g_any_errors
    assign damaged   = rst_n & damage_i;
    assign lost      = lose_i;
    assign lost_back = lose_back_i;
  end

  logic [SeqBits+Bits+1:0] forth_in;
  logic [SeqBits+1:0] back_in;
  assign forth_in = {damaged, send & ~damaged & ~lost, sent_seq, item};
  assign back_in  = {rst_n & answer & ~lost_back, nack, ack};

  always_ff @(posedge clk_i) begin
    forth <= (Latency * (SeqBits + Bits + 2))'({forth_in, forth} >> (SeqBits + Bits + 2));
    back  <= (Latency * (SeqBits + 2))'({back_in, back} >> (SeqBits + 2));
  end

  xt_retry_tx #(
    .Bits       (Bits),
    .Depth      (Depth),
    .Bypass     (Bypass),
    .TimeoutBits(4),
    .LimitBits  (1)
  ) i_tx (
    .clk_i,
    .rst_ni       (rst_n),
    .push_i       (push),
    .item_i,
    .valid_o      (valid),
    .seq_o        (seq),
    .item_o       (item),
    .ready_i      (ready),
    .ack_valid_i  (back_valid),
    .ack_i        (back_ack),
    .nack_i       (back_nack),
    .now_i        (now),
    .expiry_i     (now + timeout),
    .retry_limit_i(1'b1),
    .retries_i    (1'b1),
    .drain_i      (1'b0),
    .drained_o    (unused_drained),
    .used_o       (used),
    .unacked_o    (unacked),
    .replay_o     (unused_replay),
    .timeout_o    (unused_timeout),
    .failed_o     (unused_failed)
  );

  xt_retry_rx #(
    .SeqBits(SeqBits)
  ) i_rx (
    .clk_i,
    .rst_ni   (rst_n),
    .item_i   (at_valid),
    .seq_i    (at_seq),
    .error_i  (at_damaged),
    .deliver_o(deliver),
    .ack_o    (ack),
    .nack_o   (nack),
    .pending_o(pending),
    .sent_i   (answer)
  );

  // What was pushed, by its number; it is kept as long as the window is kept.
  logic [Bits*Depth-1:0] pushed = '0;
  logic [SeqBits-1:0] pushes = '0, deliveries = '0, missing;
  logic [        7:0] age = '0;

  assign missing = pushes - deliveries;

  always_ff @(posedge clk_i) begin
    if (push) begin
      pushes <= pushes + 1'b1;
      for (int i = 0; i < Depth; i++) begin
        if (pushes[SeqBits-2:0] == i[SeqBits-2:0]) pushed[i*Bits+:Bits] <= item_i;
      end
    end
    if (deliver) deliveries <= deliveries + 1'b1;
    age <= (deliver || missing == '0 || age == '1) ? '0 : age + 1'b1;
  end

  always_comb begin
    if (rst_n) begin
      window_is_kept : assert (used <= SeqBits'(Depth));
      used_tells_unacked : assert (unacked == (used != '0));
      nothing_is_forgotten_undelivered : assert (missing <= used);
      if (deliver) begin
        nothing_is_invented : assert (missing != '0);
        items_come_in_order : assert (at_item == pushed[deliveries[SeqBits-2:0]*Bits+:Bits]);
      end
      if (Live) oldest_is_delivered_in_time : assert (32'(age) <= Bound);
    end
  end

endmodule

`default_nettype wire
