// SPDX-License-Identifier: Apache-2.0
//
// Go-back-N sender of one stream. Every item gets a sequence number and stays in the replay buffer until
// the receiver has acknowledged the item. On a nack, or a timeout after the last progress of an awaited acknowledgement,
// the sender replays all unacknowledged items, the oldest first. More than retry_limit_i replays without an
// acknowledgement in between end in failed_o.
//
// While an item is unacknowledged, failed_o follows the last acknowledgement within (retry_limit_i + 1) timeouts.
//
// Latency: with the bypass an item is offered in the cycle of its push if no other item waits, otherwise a cycle later.
// It is read in the cycle after its offer. One item is offered per cycle.
// Speed: from a registered ack through a subtraction to the number that is sent next and to its comparison.
//
// Invariants: acknowledged <= next to send <= next to push, never more than Depth apart. A sequence number always goes
// with the item that was pushed under this number (proved with xt_retry_rx in tests/rtl/proofs).
`default_nettype none

module xt_retry_tx #(
  /// Bits of an item.
  parameter int Bits = 8,
  /// Items in the replay buffer; a power of two.
  parameter int Depth = 16,
  /// 1: an item goes beside the replay buffer if no other waits.
  parameter bit Bypass = 1'b1,
  /// Bits of the timeout.
  parameter int TimeoutBits = 16,
  /// Bits of the retry limit.
  parameter int LimitBits = 8,
  /// Bits of a sequence number: one more than an address has.
  localparam int SeqBits = $clog2(Depth) + 1
) (
  /// Clock.
  input  logic                   clk_i,
  /// Reset, active low, synchronous: the replay buffer is empty, the next item is number 0.
  input  logic                   rst_ni,

  /// An item comes; only while used_o is less than Depth.
  input  logic                   push_i,
  /// The item.
  input  logic [       Bits-1:0] item_i,

  /// An item is offered.
  output logic                   valid_o,
  /// Sequence number of the item.
  output logic [    SeqBits-1:0] seq_o,
  /// The item that was offered in the previous cycle. If there was none, any item.
  output logic [       Bits-1:0] item_o,
  /// The offered item is sent in this cycle.
  input  logic                   ready_i,

  /// An ack came.
  input  logic                   ack_valid_i,
  /// The sequence number that the receiver expects next.
  input  logic [    SeqBits-1:0] ack_i,
  /// The receiver missed an item: replay from there.
  input  logic                   nack_i,

  /// Time in cycles, which runs at least while an item comes or is unacknowledged.
  input  logic [TimeoutBits-1:0] now_i,
  /// now_i and the cycles without an ack until the replay; more than the round trip. now_i alone: after all times.
  input  logic [TimeoutBits-1:0] expiry_i,
  /// Replays without an ack before the sender fails.
  input  logic [  LimitBits-1:0] retry_limit_i,
  /// The setting before is not 0.
  input  logic                   retries_i,

  /// The link is given up: offer the unacknowledged items once more, then stop retrying.
  input  logic                   drain_i,
  /// Everything unacknowledged has been offered once more.
  output logic                   drained_o,

  /// Unacknowledged items.
  output logic [    SeqBits-1:0] used_o,
  /// There are such.
  output logic                   unacked_o,
  /// A replay begins.
  output logic                   replay_o,
  /// The retry is for want of an acknowledgement.
  output logic                   timeout_o,
  /// The retries are used up.
  output logic                   failed_o
);

  localparam int AddrBits = SeqBits - 1;

  if (Depth < 2 || Depth != (32'd1 << AddrBits)) begin : g_illegal
    xt_retry_tx_depth_must_be_a_power_of_two i_illegal ();
  end

  logic [SeqBits-1:0] write_q;  // next to be pushed
  logic [SeqBits-1:0] send_q, send_d;  // next to be sent
  logic [SeqBits-1:0] acked_q, acked_d;  // oldest unacknowledged item
  logic               waiting_q, drain_q;  // waiting_q: send_q is not write_q

  assign used_o    = write_q - acked_q;
  assign unacked_o = acked_q != write_q;
  assign seq_o     = send_q;

  logic                waiting_d, open_d;  // open_d: send_d is not write_q
  logic [    Bits-1:0] read_item;
  logic [AddrBits-1:0] read_address;

  xt_ram_1r1w #(
    .Width(Bits),
    .Depth(Depth),
    .Known(!Bypass)
  ) i_buffer (
    .clk_i,
    .we_i   (push_i),
    .waddr_i(write_q[AddrBits-1:0]),
    .wdata_i(item_i),
    .raddr_i(read_address),
    .rdata_o(read_item)
  );

  // Where no item is offered another one is known: the check word of a frame is of all fields.
  if (Bypass) begin : g_bypass
    logic            fresh_q;  // item send_q waits, and is the RAM's output
    logic [Bits-1:0] item_q;

    assign read_address = send_d[AddrBits-1:0];
    assign valid_o      = waiting_q ? fresh_q : push_i;
    assign item_o       = item_q;
    always_ff @(posedge clk_i) begin
      // An item pushed in this cycle cannot be read yet.
      fresh_q <= rst_ni & waiting_d & open_d;
      item_q  <= fresh_q ? read_item : item_i;
    end
  end else begin : g_through
    logic rests;

    // The word under write is not read.
    assign rests        = ~waiting_q;
    assign read_address = send_q[AddrBits-1:0] ^ AddrBits'(rests);
    assign valid_o      = waiting_q;
    assign item_o       = read_item;
  end

  // ---------------------------------------------------------------- acks, replays and retries
  // Numbers are never more than Depth apart, so the sign alone tells which is ahead.
  logic [    SeqBits-1:0] acked_less_ack, write_less_ack, send_less_ack;
  logic                   progress, expired, unacked, go_back, exhausted;
  logic                   ack_open;  // ack_i leaves something unacknowledged
  logic                   nacked, renacked, overdue, spent;
  logic [    SeqBits-1:0] sent_next;
  logic [TimeoutBits-1:0] expiry_q;
  logic [  LimitBits-1:0] retries_q, retries;

  assign acked_less_ack = acked_q - ack_i;
  assign write_less_ack = write_q - ack_i;
  assign send_less_ack  = send_q - ack_i;
  // Only acks of pushed items make progress. Such an ack is 1 to Depth ahead of the oldest item, and less than Depth
  // behind the next item to be pushed; the sum of both distances is used_o.
  assign progress  = ack_valid_i & acked_less_ack[SeqBits-1] & ~write_less_ack[SeqBits-1];
  // The results of an ack are ready when the progress check ends.
  assign acked_d   = progress ? ack_i : acked_q;
  assign ack_open  = ack_i != write_q;
  assign unacked   = progress ? ack_open : unacked_o;
  assign expired   = now_i == expiry_q;
  assign nacked    = ack_valid_i & nack_i;
  assign renacked  = ack_open & nacked;  // with progress
  assign overdue   = unacked_o & (nacked | expired);  // without
  assign go_back   = ~drain_i & (progress ? renacked : overdue);
  assign retries   = progress ? '0 : retries_q;
  assign spent     = retries_q >= retry_limit_i;
  assign exhausted = progress ? ~retries_i : spent;

  always_comb begin
    sent_next = send_q + {{SeqBits - 1{1'b0}}, valid_o & ready_i};
    send_d    = sent_next;
    open_d    = sent_next != write_q;
    // In a replay the receiver may turn out to have more than was thought.
    if (progress && send_less_ack[SeqBits-1]) begin
      send_d = ack_i;
      open_d = ack_open;
    end
    if (go_back || (drain_i && !drain_q)) begin
      send_d = acked_d;
      open_d = unacked;
    end
    // A pushed item waits unless the item is sent at once and no replay is due.
    waiting_d = push_i ? !Bypass || waiting_q || !ready_i || go_back || (drain_i && !drain_q) : open_d;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q   <= '0;
      send_q    <= '0;
      acked_q   <= '0;
      waiting_q <= 1'b0;
      drain_q   <= 1'b0;
      retries_q <= '0;
    end else begin
      write_q   <= write_q + {{SeqBits - 1{1'b0}}, push_i};
      send_q    <= send_d;
      acked_q   <= acked_d;
      waiting_q <= waiting_d;
      drain_q   <= drain_i;
      retries_q <= (go_back && !exhausted) ? retries + 1'b1 : retries;
    end
    if (!unacked_o || progress || go_back) expiry_q <= expiry_i;
  end

  assign drained_o = drain_q & ~waiting_q;
  assign replay_o  = go_back;
  assign timeout_o = go_back & ~nacked;
  assign failed_o  = ~drain_i & (progress ? renacked & ~retries_i : overdue & spent);

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      retry_tx_knows_what_waits : assert (waiting_q == (send_q != write_q));
      retry_tx_is_told_of_no_retries : assert (retries_i == (retry_limit_i != '0));
      retry_tx_push_has_room : assert (!push_i || used_o != SeqBits'(Depth));
      retry_tx_window_is_bounded : assert (used_o <= SeqBits'(Depth));
      retry_tx_sends_within_the_window : assert ((send_q - acked_q) <= used_o);
    end
  end
`endif

endmodule

`default_nettype wire
