// SPDX-License-Identifier: Apache-2.0
//
// Link layer of one link port: carries cells and credits so that no transmission error loses, repeats or
// invents an item. If the layer cannot, the port reports DOWN.
//
// A frame per cycle and direction holds a cell, a credit, the acknowledgements of both streams and a check word (xt_link_check).
// Each stream has a go-back-N protocol of its own (xt_retry_tx, xt_retry_rx). An idle link sends no frame,
// unless keepalive_i asks for a sign of life. Frame, least significant field first:
//   Ctrl(2) CellValid CellSeq Vc Poison Cell CreditValid CreditSeq CreditVc CellAck CellNack CreditAck
//   CreditNack Check(32)
//
// xt_link_receive takes frames apart, xt_link_state knows whether the link trains, is up or down.
//
// Bounds. With an unacknowledged item, DOWN follows at most (retry_limit_i + 1) timeouts after the last
// acknowledgement. With timeout 256 and limit 8 these are 2304 cycles. With keepalive_i DOWN also follows 4 *
// keepalive_i cycles after the last valid frame. The other end follows by the down frames, after the latency
// of the link and 5 cycles. If that direction is dead too, the other end follows by a bound of its own.
//
// Leaving UP: cells with poison and no payload, one per cycle, complete a packet under reception. Cells from the switch
// are dropped until the link is UP again, and then up to the end of the packet. Each packet that does not get through
// is counted once. dropped_o counts the packet if some of its cells were dropped. lost_o counts the packet if all of its
// cells were in the replay buffer without an acknowledged end; the packet may have arrived.
//
// Where the wires are narrower than a frame, at most one frame leaves in FrameCycles cycles. Times in cycles
// without frames, or with frames in every cycle, are then FrameCycles times as long.
//
// Latency: 2 cycles from tx_* to the frame at the pins, 3 without the bypass, and 2 from the pins to rx_*. lookahead_*
// shows the VC and destination of the frame at the pins at once, so that the route lookup overlaps with the link.
// Speed: the check word, a tree per direction between registers; its comparison is in two cycles. Without the bypass the
// tree of what is sent begins at the replay buffers.
`default_nettype none

module xt_link #(
  /// Bits of a VC number.
  parameter int VcBits = 1,
  /// Bits of a cell.
  parameter int CellBits = 32,
  /// Bits of a PE address.
  parameter int IdBits = 8,
  /// Packet header: destination.
  parameter int DestLsb = 0,
  /// Packet header: cells less one.
  parameter int HdrLenLsb = 16,
  /// Bits of that length field.
  parameter int LenBits = 3,
  /// Cells of the longest packet.
  parameter int PacketCells = 8,
  /// Cells of the replay buffer; a power of two.
  parameter int ReplayCells = 64,
  /// Cells of the input buffer: a bound on unacknowledged credits; a power of two.
  parameter int CreditEntries = 64,
  /// 1: what is sent goes beside the replay buffers if nothing waits.
  parameter bit ReplayBypass = 1'b1,
  /// Cycles from a frame to the next.
  parameter int FrameCycles = 1,
  /// Bits of a frame, as the other end counts them.
  parameter int FrameBits = 2 * VcBits + CellBits + 2 * $clog2(ReplayCells) + 2 * $clog2(CreditEntries) + 43
) (
  /// Clock.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,

  /// Link in: a frame.
  input  logic                 link_valid_i,
  /// Link in: the frame.
  input  logic [FrameBits-1:0] link_frame_i,
  /// Link out: a frame.
  output logic                 link_valid_o,
  /// Link out: the frame.
  output logic [FrameBits-1:0] link_frame_o,

  /// From the switch: a cell.
  input  logic                 tx_valid_i,
  /// VC of the cell.
  input  logic [   VcBits-1:0] tx_vc_i,
  /// The cell.
  input  logic [ CellBits-1:0] tx_cell_i,
  /// The packet of the cell is incomplete.
  input  logic                 tx_poison_i,
  /// From the switch: a cell of the input buffer was freed, a cycle after it came or later.
  input  logic                 tx_credit_valid_i,
  /// The VC that the cell had come on.
  input  logic [   VcBits-1:0] tx_credit_vc_i,

  /// To the switch: a cell.
  output logic                 rx_valid_o,
  /// VC of the cell.
  output logic [   VcBits-1:0] rx_vc_o,
  /// The cell.
  output logic [ CellBits-1:0] rx_cell_o,
  /// The packet of the cell is incomplete.
  output logic                 rx_poison_o,
  /// To the switch: a cell was freed at the other end.
  output logic                 rx_credit_valid_o,
  /// The VC of that cell.
  output logic [   VcBits-1:0] rx_credit_vc_o,

  /// VC of the cell that may come out by rx_* in 2 cycles; straight from the pins.
  output logic [   VcBits-1:0] lookahead_vc_o,
  /// Destination in that cell, if the cell is a header.
  output logic [   IdBits-1:0] lookahead_dest_o,

  /// No new packet may start to this link.
  output logic                 hold_o,
  /// Cells from the switch are dropped.
  output logic                 down_o,
  /// A pulse: all cells of the buffer at the other end are free, and nothing was sent there. hold_o has
  /// been set for 15 cycles.
  output logic                 restart_o,
  /// The input buffer is initialised and holds no cell from this link.
  input  logic                 input_empty_i,

  /// A pulse: leave UP or DOWN for TRAIN.
  input  logic                 retrain_i,
  /// Go DOWN, and stay there.
  input  logic                 disable_i,
  /// Time in cycles, which runs at least while busy_o is set.
  input  logic [         15:0] now_i,
  /// now_i and the cycles without an ack until the replay; more than the round trip. now_i alone: 65536 cycles.
  input  logic [         15:0] expiry_i,
  /// Replays in a row without an ack.
  input  logic [          7:0] retry_limit_i,
  /// The setting before is not 0.
  input  logic                 retries_i,
  /// Cycles between signs of life; 0: none are sent or expected.
  input  logic [         15:0] keepalive_i,
  /// The setting before is not 0.
  input  logic                 keeps_alive_i,

  /// 0 TRAIN, 1 UP, 2 DOWN.
  output logic [          1:0] state_o,
  /// Cause of DOWN: 0 not down, 1 retries, 2 remote, 3 no signal, 4 disabled.
  output logic [          2:0] cause_o,
  /// A pulse: a frame came whose check word was wrong.
  output logic                 crc_error_o,
  /// A pulse: a nack was sent.
  output logic                 nack_o,
  /// A pulse: a replay began.
  output logic                 replay_o,
  /// A pulse: the cause of the replay was a timeout.
  output logic                 timeout_o,
  /// A pulse: training began by retrain_i.
  output logic                 retrain_o,
  /// A pulse: a packet under reception was cut; its missing cells follow with poison.
  output logic                 cut_o,
  /// A pulse: a packet from the switch was dropped, whole or from some cell on.
  output logic                 dropped_o,
  /// A pulse: a packet was given up whose end was not acknowledged; it may have arrived.
  output logic                 lost_o,
  /// Something is in flight or pending.
  output logic                 active_o,
  /// The same without signs of life.
  output logic                 busy_o
);

  localparam int CellSeqBits = $clog2(ReplayCells) + 1;
  localparam int CreditSeqBits = $clog2(CreditEntries) + 1;
  localparam int BodyBits = 2 * (VcBits + CellSeqBits + CreditSeqBits) + CellBits + 7;
  localparam int HoldLimit = ReplayCells - 2 * PacketCells - 8;

  if (FrameBits != BodyBits + 32) begin : g_illegal_frame
    xt_link_frame_bits_are_not_the_sum_of_the_fields i_illegal ();
  end
  if (HoldLimit < 1) begin : g_illegal_replay
    xt_link_replay_buffer_is_too_small_for_two_packets i_illegal ();
  end
  if (FrameCycles < 1) begin : g_illegal_cycles
    xt_link_frame_takes_a_cycle_at_least i_illegal ();
  end

  localparam logic [1:0] CtrlNormal = 2'd0;
  localparam logic [1:0] CtrlTrain = 2'd1;
  localparam logic [1:0] CtrlHeard = 2'd2;
  localparam logic [1:0] CtrlDown = 2'd3;

  // A frame may begin to leave.
  logic slot;
  if (FrameCycles == 1) begin : g_every_cycle
    assign slot = 1'b1;
  end else begin : g_slots
    localparam int SlotBits = $clog2(FrameCycles);
    logic [SlotBits-1:0] slot_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || slot) slot_q <= SlotBits'(FrameCycles - 1);
      else slot_q <= slot_q - 1'b1;
    end
    assign slot = slot_q == '0;
  end

  // ---------------------------------------------------------------- frames in
  logic [CellSeqBits-1:0] cell_ack, cell_ack_came;
  logic [CreditSeqBits-1:0] credit_ack, credit_ack_came;
  logic cell_nack, credit_nack, cell_nack_came, credit_nack_came, ack_pending, ack_valid;
  logic intact, train_event, heard_event, down_event, normal_event, answer_due, complete, receives;
  logic up, sent;  // a normal frame leaves

  xt_link_receive #(
    .VcBits       (VcBits),
    .CellBits     (CellBits),
    .IdBits       (IdBits),
    .DestLsb      (DestLsb),
    .HdrLenLsb    (HdrLenLsb),
    .LenBits      (LenBits),
    .CellSeqBits  (CellSeqBits),
    .CreditSeqBits(CreditSeqBits),
    .FrameBits    (FrameBits)
  ) i_receive (
    .clk_i, .rst_ni, .link_valid_i, .link_frame_i,
    .up_i              (up),
    .slot_i            (slot),
    .sent_i            (sent),
    .lookahead_vc_o, .lookahead_dest_o, .rx_valid_o, .rx_vc_o, .rx_cell_o, .rx_poison_o, .rx_credit_valid_o, .rx_credit_vc_o,
    .cell_ack_o        (cell_ack),
    .cell_nack_o       (cell_nack),
    .credit_ack_o      (credit_ack),
    .credit_nack_o     (credit_nack),
    .pending_o         (ack_pending),
    .ack_valid_o       (ack_valid),
    .cell_ack_came_o   (cell_ack_came),
    .cell_nack_came_o  (cell_nack_came),
    .credit_ack_came_o (credit_ack_came),
    .credit_nack_came_o(credit_nack_came),
    .intact_o          (intact),
    .train_event_o     (train_event),
    .heard_event_o     (heard_event),
    .down_event_o      (down_event),
    .normal_event_o    (normal_event),
    .answer_o          (answer_due),
    .complete_o        (complete),
    .crc_error_o, .cut_o,
    .active_o          (receives)
  );

  // ---------------------------------------------------------------- cells and credits out
  logic               tx_packet_q, tx_accepted_q;  // within a packet; the packet is accepted
  logic [LenBits-1:0] tx_left_q, tx_len;
  logic               tx_last, accept, push_cell, settled, drain_q, drains, drain;
  logic               cell_valid, credit_valid, out_last, out_poison, ready;
  logic [   VcBits-1:0] out_vc, out_credit_vc;
  logic [ CellBits-1:0] out_cell;
  logic [CellSeqBits-1:0] cell_seq, cells_used;
  logic [CreditSeqBits-1:0] credit_seq, unused_credits;
  logic cells_unacked, credits_unacked, drained;
  logic cells_failed, credits_failed, cells_replay, credits_replay, cells_timeout, credits_timeout;

  assign tx_len    = tx_cell_i[HdrLenLsb+:LenBits];
  assign tx_last   = tx_packet_q ? (tx_left_q == LenBits'(1)) : (tx_len == '0);
  assign accept    = up & (tx_packet_q ? tx_accepted_q : ~down_o);
  assign push_cell = tx_valid_i & accept;

  logic streams_rst_n, cells_rst_n;
  assign streams_rst_n = rst_ni & up;
  assign cells_rst_n   = rst_ni & (up | drain_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tx_packet_q   <= 1'b0;
      tx_accepted_q <= 1'b0;
      dropped_o     <= 1'b0;
    end else begin
      if (tx_valid_i) tx_packet_q <= ~tx_last;
      if (!up) tx_accepted_q <= 1'b0;
      else if (tx_valid_i && !tx_packet_q) tx_accepted_q <= ~down_o;
      dropped_o <= tx_packet_q ? (tx_accepted_q & ~up) : (tx_valid_i & ~accept);
    end
    if (tx_valid_i) tx_left_q <= tx_packet_q ? tx_left_q - 1'b1 : tx_len;
  end

  xt_retry_tx #(
    .Bits (CellBits + VcBits + 2),
    .Depth(ReplayCells),
    .Bypass(ReplayBypass)
  ) i_cells_tx (
    .clk_i,
    .rst_ni     (cells_rst_n),
    .push_i     (push_cell),
    .item_i     ({tx_last, tx_cell_i, tx_poison_i, tx_vc_i}),
    .valid_o    (cell_valid),
    .seq_o      (cell_seq),
    .item_o     ({out_last, out_cell, out_poison, out_vc}),
    .ready_i    (ready),
    .ack_valid_i(ack_valid & up),
    .ack_i      (cell_ack_came),
    .nack_i     (cell_nack_came),
    .now_i,
    .expiry_i,
    .retry_limit_i,
    .retries_i,
    .drain_i    (drain),
    .drained_o  (drained),
    .used_o     (cells_used),
    .unacked_o  (cells_unacked),
    .replay_o   (cells_replay),
    .timeout_o  (cells_timeout),
    .failed_o   (cells_failed)
  );

  logic unused_drained;
  xt_retry_tx #(
    .Bits (VcBits),
    .Depth(CreditEntries),
    .Bypass(ReplayBypass)
  ) i_credits_tx (
    .clk_i,
    .rst_ni     (streams_rst_n),
    .push_i     (tx_credit_valid_i & up),
    .item_i     (tx_credit_vc_i),
    .valid_o    (credit_valid),
    .seq_o      (credit_seq),
    .item_o     (out_credit_vc),
    .ready_i    (ready),
    .ack_valid_i(ack_valid),
    .ack_i      (credit_ack_came),
    .nack_i     (credit_nack_came),
    .now_i,
    .expiry_i,
    .retry_limit_i,
    .retries_i,
    .drain_i    (1'b0),
    .drained_o  (unused_drained),
    .used_o     (unused_credits),
    .unacked_o  (credits_unacked),
    .replay_o   (credits_replay),
    .timeout_o  (credits_timeout),
    .failed_o   (credits_failed)
  );

  // Packets whose end is found in the replay buffer when the link is given up. drain_q: the replay buffer
  // has not been cleared. It is once no packet is dropped any more, so that each is counted by a pulse of its own.
  // lost_cell_q: a cell of it was offered in the previous cycle.
  logic draining_q, lost_cell_q;
  assign drain = drain_q & (drains | draining_q) & ~up;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      drain_q     <= 1'b0;
      draining_q  <= 1'b0;
      lost_cell_q <= 1'b0;
      lost_o      <= 1'b0;
    end else begin
      drain_q     <= up | (drain_q & ~drained);
      draining_q  <= drain;
      lost_cell_q <= draining_q & drain & cell_valid;
      lost_o      <= lost_cell_q & out_last;
    end
  end

  // ---------------------------------------------------------------- frames out
  logic                answer, keepalive_due, train_ready, heard, down_frame, body_valid;
  logic                body_valid_q;
  logic [         1:0] body_ctrl;
  // Fields of a frame before those that are read from the replay buffers, between, and after.
  logic [CellSeqBits+2:0] head_q;
  logic [CreditSeqBits:0] middle_q;
  logic [CellSeqBits+CreditSeqBits+1:0] tail_q;
  logic [BodyBits-1:0] body;
  logic [        31:0] tx_check;

  assign answer = up & answer_due;
  assign ready  = ~answer & (slot | ~up);
  assign sent   = up & ~answer & slot
                & (cell_valid | credit_valid | ack_pending | keepalive_due);

  always_comb begin
    body_ctrl  = CtrlNormal;
    body_valid = sent;
    if (answer) begin
      body_ctrl  = CtrlHeard;
      body_valid = slot;
    end
    if (train_ready) begin
      body_ctrl  = heard ? CtrlHeard : CtrlTrain;
      body_valid = slot;
    end
    if (down_frame) begin
      body_ctrl  = CtrlDown;
      body_valid = slot;
    end
  end

  // The cell and the credit are read from the replay buffers, whether they are valid or not.
  assign body = {tail_q, out_credit_vc, middle_q, out_cell, out_poison, out_vc, head_q};

  xt_link_check #(
    .Bits(BodyBits)
  ) i_tx_check (
    .valid_i(body_valid_q),
    .data_i (body),
    .check_o(tx_check)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      body_valid_q <= 1'b0;
      link_valid_o <= 1'b0;
      nack_o       <= 1'b0;
    end else begin
      body_valid_q <= body_valid;
      link_valid_o <= body_valid_q;
      nack_o       <= sent & (cell_nack | credit_nack);
    end
    // These registers load whether the frame leaves or not, because that decision arrives late.
    head_q   <= {cell_seq, sent & cell_valid, body_ctrl};
    middle_q <= {credit_seq, sent & credit_valid};
    tail_q   <= {sent & credit_nack, credit_ack, answer | (sent & cell_nack), cell_ack};
    if (body_valid_q) link_frame_o <= {tx_check, body};
  end

  // ---------------------------------------------------------------- state
  logic state_active;

  xt_link_state i_state (
    .clk_i, .rst_ni,
    .slot_i         (slot),
    .intact_i       (intact),
    .train_event_i  (train_event),
    .heard_event_i  (heard_event),
    .down_event_i   (down_event),
    .normal_event_i (normal_event),
    .answer_i       (answer_due),
    .sent_i         (sent),
    .failed_i       (cells_failed | credits_failed),
    .input_empty_i,
    .complete_i     (complete),
    .drain_i        (drain_q),
    .full_i         (32'(cells_used) > HoldLimit),
    .retrain_i, .disable_i, .keepalive_i, .keeps_alive_i, .state_o, .cause_o,
    .up_o           (up),
    .settled_o      (settled),
    .train_o        (train_ready),
    .heard_o        (heard),
    .down_frame_o   (down_frame),
    .keepalive_due_o(keepalive_due),
    .drains_o       (drains),
    .hold_o, .down_o, .restart_o, .retrain_o,
    .active_o       (state_active)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      replay_o  <= 1'b0;
      timeout_o <= 1'b0;
    end else begin
      replay_o  <= up & (cells_replay | credits_replay);
      timeout_o <= up & (cells_timeout | credits_timeout);
    end
  end

  // The activity flags do not look at moving frames: each item of a frame stays unacknowledged at its sender until
  // the item has arrived.
  logic up_busy;
  assign up_busy  = up & (~settled | down_o | cells_unacked | credits_unacked | ack_pending | disable_i);
  assign busy_o   = up_busy | state_active | drain_q & ~up | complete | retrain_i | tx_valid_i | tx_credit_valid_i
                  | rx_valid_o | rx_credit_valid_o | hold_o & ~up;
  assign active_o = busy_o | up & keeps_alive_i | receives | body_valid_q | link_valid_o;

`ifdef XT_ASSERT
  logic unsettled_q;
  always_ff @(posedge clk_i) begin
    unsettled_q <= up & ~settled;
    if (rst_ni) begin
      link_replay_buffer_never_overflows : assert (!push_cell || 32'(cells_used) < ReplayCells);
      link_no_credit_before_restart : assert (!(unsettled_q && rx_credit_valid_o));
      link_counts_one_packet_at_a_time : assert (!(dropped_o && lost_o));
      link_trains_only_when_empty : assert (!train_ready || !complete);
      link_is_told_what_is_zero : assert (retries_i == (retry_limit_i != '0) && keeps_alive_i == (keepalive_i != '0));
    end
  end
`endif

endmodule

`default_nettype wire
