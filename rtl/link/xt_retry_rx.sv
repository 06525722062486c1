// SPDX-License-Identifier: Apache-2.0
//
// Go-back-N receiver of one stream: accepts the items in order and drops all others. Every frame carries the
// next expected sequence number back to the sender, and a nack if an item is missing. A nack is sent once.
// Until the missing item arrives, other items are dropped without another nack. If the nack or the replay is
// lost, the sender's timeout starts over.
//
// Latency: deliver_o is combinational; an ack or nack can leave in the next cycle.
// Speed: a subtraction of two sequence numbers.
`default_nettype none

module xt_retry_rx #(
  /// Bits of a sequence number; the sender's window is half as many as there are numbers.
  parameter int SeqBits = 5
) (
  /// Clock.
  input  logic               clk_i,
  /// Reset, active low, synchronous: the next item is number 0.
  input  logic               rst_ni,

  /// An item came, intact.
  input  logic               item_i,
  /// Sequence number of the item.
  input  logic [SeqBits-1:0] seq_i,
  /// A damaged frame came.
  input  logic               error_i,
  /// The item is the next expected one and is delivered.
  output logic               deliver_o,

  /// The sequence number expected next.
  output logic [SeqBits-1:0] ack_o,
  /// A nack is due with the acknowledgement.
  output logic               nack_o,
  /// The sender waits for an ack or nack.
  output logic               pending_o,
  /// Ack and nack are sent in this cycle.
  input  logic               sent_i
);

  logic [SeqBits-1:0] expected_q, distance;
  logic               ahead, missed_q, nack_q, pending_q;

  assign distance  = seq_i - expected_q;
  assign deliver_o = item_i & (distance == '0);
  // Half of the numbers lie ahead; the others were delivered before.
  assign ahead     = item_i & ~distance[SeqBits-1] & (distance != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      expected_q <= '0;
      missed_q   <= 1'b0;
      nack_q     <= 1'b0;
      pending_q  <= 1'b0;
    end else begin
      if (deliver_o) begin
        expected_q <= expected_q + 1'b1;
        missed_q   <= 1'b0;
        nack_q     <= 1'b0;
      end else if ((ahead || error_i) && !missed_q) begin
        missed_q <= 1'b1;
        nack_q   <= 1'b1;
      end else if (sent_i) begin
        nack_q <= 1'b0;
      end
      // A repeated item means that its ack was lost.
      if (item_i) pending_q <= 1'b1;
      else if (sent_i) pending_q <= 1'b0;
    end
  end

  assign ack_o     = expected_q;
  assign nack_o    = nack_q;
  assign pending_o = pending_q | nack_q;

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      retry_rx_item_or_error : assert (!(item_i && error_i));
      retry_rx_nack_means_missed : assert (!nack_q || missed_q);
    end
  end
`endif

endmodule

`default_nettype wire
