// SPDX-License-Identifier: Apache-2.0
//
// Carries requests out, each once and in order: judges sequence numbers, stores the statuses of the last Window
// requests, drives the registers and the queues, and composes an answer.
//
// A new request has the expected number; carrying the request out raises the expected number by one. A request with
// another number changes no state.
//
// Rate: a word in 4 cycles into registers, a word per cycle into the queue of packets.
`default_nettype none

module xt_bridge_sequencer #(
  /// Cards.
  parameter int Cards = 1,
  /// NIC ports of each card.
  parameter int Nics = 1,
  /// Limit of requests under way.
  parameter int Window = 16,
  /// Most words of a request.
  parameter int RequestWords = (xt_bridge_pkg::LeastPayload > 64) ? 128 : 64,
  /// Most words of a READ.
  parameter int ReadWords = 64,
  /// Words of each queue to a NIC port.
  parameter int InjectWords = 256,
  /// Words of each queue from a NIC port.
  parameter int ReceiveWords = 1024,
  /// Clock in kHz; 0: not known.
  parameter int ClockKhz = 0,
  /// Build of the bitstream.
  parameter int Build = 0,
  /// Bits of a number of a request's words.
  localparam int CountBits = $clog2(RequestWords + 3),
  /// Bits of the index of a request's word.
  localparam int IndexBits = $clog2(RequestWords),
  /// Bits of the index of an answer's word.
  localparam int AnswerBits = $clog2((ReadWords < 16) ? 16 : ReadWords),
  /// NIC ports of all cards.
  localparam int Queues = Cards * Nics,
  /// Bits of the number of a card.
  localparam int CardBits = (Cards > 1) ? $clog2(Cards) : 1
) (
  /// Clock.
  input  logic                  clk_i,
  /// Reset, active low, synchronous.
  input  logic                  rst_ni,
  /// Serial number of the board.
  input  logic [          63:0] serial_i,
  /// Frames dropped since reset.
  input  logic [          15:0] dropped_i,

  /// A request is there.
  input  logic                  valid_i,
  /// Header of the frame, first byte lowest.
  input  logic [          63:0] header_i,
  /// Words of the payload.
  input  logic [ CountBits-1:0] words_i,
  /// The payload words are whole cells.
  input  logic                  cells_i,
  /// The request is done.
  output logic                  take_o,
  /// Word to read.
  output logic [ IndexBits-1:0] index_o,
  /// The word addressed in the previous cycle.
  input  logic [          31:0] word_i,

  /// Write a word of the answer's payload.
  output logic                  answer_we_o,
  /// Half of the answers' memory.
  output logic                  answer_half_o,
  /// Word in the half.
  output logic [AnswerBits-1:0] answer_index_o,
  /// The word.
  output logic [          31:0] answer_word_o,
  /// An answer is ready; the answer stays until answer_done_i.
  output logic                  answer_valid_o,
  /// Header of the frame, first byte lowest.
  output logic [          63:0] answer_header_o,
  /// Words of the payload.
  output logic [  AnswerBits:0] answer_words_o,
  /// Half of the answers' memory with the payload.
  output logic                  answer_from_o,
  /// The answer has been read.
  input  logic                  answer_done_i,

  /// Begin an access to registers.
  output logic                  start_o,
  /// The access is a write.
  output logic                  write_o,
  /// Of this card.
  output logic [  CardBits-1:0] card_o,
  /// Address.
  output logic [          15:0] address_o,
  /// The access is over.
  input  logic                  done_i,
  /// The access is going on.
  input  logic                  busy_i,
  /// The card refused the access.
  input  logic                  refused_i,
  /// Read data.
  input  logic [          31:0] data_i,

  /// A session begins.
  output logic                  sync_o,
  /// A SYNC has come.
  output logic                  synced_o,
  /// No packet is to be begun,
  output logic                  hold_o,
  /// and none is being sent.
  input  logic                  held_i,
  /// Word to the queue to this NIC port.
  output logic [    Queues-1:0] push_o,
  /// The word; the last of a packet with commit_o.
  output logic [          31:0] push_word_o,
  /// The word is the last of its packet.
  output logic                  commit_o,
  /// Free words of these queues.
  input  logic [ 16*Queues-1:0] free_i,
  /// Position after the last packet that the card has taken from them.
  input  logic [ 16*Queues-1:0] taken_i,
  /// RECEIVE for the queue from this NIC port.
  output logic [    Queues-1:0] receive_o,
  /// Position of the RECEIVE.
  output logic [          15:0] position_o,
  /// Limit of the RECEIVE.
  output logic [          15:0] limit_o,
  /// Resend from position_o on.
  output logic                  rewind_o,
  /// Acknowledged position of these queues.
  input  logic [ 16*Queues-1:0] acknowledged_i,
  /// Position after the last whole packet.
  input  logic [ 16*Queues-1:0] written_i,
  /// Reset of these cards and their queues.
  output logic [     Cards-1:0] card_reset_o
);

  localparam int WindowBits = $clog2(Window);
  // Cycles for which a card is held in reset.
  localparam logic [4:0] ResetCycles = 5'd16;

  if (Window != (32'd1 << WindowBits) || Window < 4 || Window > xt_bridge_pkg::MaxWindow) begin : g_illegal_window
    xt_bridge_sequencer_window_must_be_a_power_of_two_from_4_to_64 i_illegal ();
  end
  if (ReadWords < 8 || ReadWords > xt_bridge_pkg::MaxRead || (ReadWords & (ReadWords - 1)) != 0)
  begin : g_illegal_read
    xt_bridge_sequencer_read_words_must_be_a_power_of_two_from_8_to_256 i_illegal ();
  end
  if (RequestWords > xt_bridge_pkg::MaxWords || RequestWords < xt_bridge_pkg::LeastPayload) begin : g_illegal_request
    xt_bridge_sequencer_request_words_must_hold_a_packet_and_no_more_than_a_frame i_illegal ();
  end

  // ---------------------------------------------------------------- request
  logic [7:0] kind, card, unit;
  logic [15:0] sequence_number, argument;

  logic [7:0] unused_status;

  assign kind            = header_i[7:0];
  assign unused_status   = header_i[15:8];
  assign sequence_number = header_i[31:16];
  assign card            = header_i[39:32];
  assign unit            = header_i[47:40];
  assign argument        = header_i[63:48];
  assign card_o          = card[CardBits-1:0];

  // The queues of the NIC port that is meant; 0 where there is none.
  logic [Queues-1:0] chosen;
  logic [15:0] free, taken, acknowledged, written;

  always @* begin
    chosen       = '0;
    free         = '0;
    taken        = '0;
    acknowledged = '0;
    written      = '0;
    for (int q = 0; q < Queues; q++) begin
      if (card == 8'(q / Nics) && unit == 8'(q % Nics)) begin
        chosen[q]    = 1'b1;
        free         = free_i[16*q+:16];
        taken        = taken_i[16*q+:16];
        acknowledged = acknowledged_i[16*q+:16];
        written      = written_i[16*q+:16];
      end
    end
  end

  // ---------------------------------------------------------------- sequence numbers
  logic [15:0] expected_q, distance;
  logic [WindowBits:0] known_q;  // stored statuses
  logic [3:0] statuses_q [Window];
  logic fresh, repeated;

  assign distance = expected_q - sequence_number;
  assign fresh    = distance == '0;
  assign repeated = distance != '0 && distance <= 16'(known_q);

  // ---------------------------------------------------------------- inputs
  logic is_info, is_sync, is_read, is_write, is_inject, is_receive, is_stream, is_reset, harmless, no_length;
  logic [3:0] objection;

  assign is_info    = kind == xt_bridge_pkg::KindInfo;
  assign is_sync    = kind == xt_bridge_pkg::KindSync;
  assign is_read    = kind == xt_bridge_pkg::KindRead;
  assign is_write   = kind == xt_bridge_pkg::KindWrite;
  assign is_inject  = kind == xt_bridge_pkg::KindInject;
  assign is_receive = kind == xt_bridge_pkg::KindReceive;
  assign is_stream  = kind == xt_bridge_pkg::KindStream;
  assign is_reset   = kind == xt_bridge_pkg::KindReset;
  assign harmless   = is_read || is_stream;

  always_comb begin
    no_length = words_i != '0;
    if (is_read) no_length = words_i != '0 || 32'(unit) >= ReadWords;
    if (is_write) no_length = words_i == '0;
    if (is_inject) no_length = !cells_i;
    if (is_receive || is_sync) no_length = words_i != CountBits'(1);
    objection = xt_bridge_pkg::StatusOk[3:0];
    if (!is_sync && kind > xt_bridge_pkg::KindReset) objection = xt_bridge_pkg::StatusKind[3:0];
    else if (!is_sync && 32'(card) >= Cards) objection = xt_bridge_pkg::StatusCard[3:0];
    else if ((is_inject || is_receive || is_stream) && 32'(unit) >= Nics) objection = xt_bridge_pkg::StatusUnit[3:0];
    else if (no_length) objection = xt_bridge_pkg::StatusLength[3:0];
    else if (is_inject && free <= 16'(words_i)) objection = xt_bridge_pkg::StatusBusy[3:0];
    else if (is_sync && (word_i < xt_bridge_pkg::LeastVersion || word_i > xt_bridge_pkg::Version))
      objection = xt_bridge_pkg::StatusVersion[3:0];
  end

  // ---------------------------------------------------------------- steps
  typedef enum logic [3:0] {
    Wait,
    Judge,  // the sequence number
    Check,  // the request; its first word is ready
    Tell,  // INFO, STREAM: write the answer's payload
    Access,  // begin an access to a register
    Accessed,  // wait for the end of the access
    Size,  // INJECT: the number of words
    Copy,  // INJECT: the words
    Hold,  // until no packet is being sent
    Change,  // SYNC, RECEIVE, RESET: carry out
    Resetting,
    Settle,  // the change becomes visible
    Reply
  } state_t;

  state_t state_q;
  logic [3:0] status_q;
  logic again_q;  // the request had been carried out before
  logic counts_q;  // the request has the expected number
  logic [CountBits:0] index_q, index_d;  // word of the request or of the answer
  logic [15:0] address_q;
  logic [4:0] reset_q;
  logic half_q;
  logic last_access, reply, room;

  assign reply       = state_q == Reply && !answer_valid_o;
  assign take_o      = reply;
  assign room        = state_q == Tell;
  // Beyond the last one only after an upset.
  assign last_access = is_read ? 32'(index_q) >= 32'(unit) : 32'(index_q) + 1 >= 32'(words_i);

  always_comb begin
    index_d = index_q;
    case (state_q)
      Wait, Judge, Check: index_d = '0;
      Accessed: if (done_i) index_d = index_q + 1'b1;
      Tell, Copy: index_d = index_q + 1'b1;
      default: ;
    endcase
  end
  assign index_o = index_d[IndexBits-1:0];

  // ---------------------------------------------------------------- payload of the answers
  logic [31:0] told;
  logic [AnswerBits:0] tell_words;

  assign tell_words = is_info ? (AnswerBits + 1)'(xt_bridge_pkg::InfoWords)
                              : (AnswerBits + 1)'(xt_bridge_pkg::StreamWords);

  always_comb begin
    told = '0;
    if (is_info) begin
      case (index_q[3:0])
        4'd0: told = xt_bridge_pkg::Magic;
        4'd1: told = {xt_bridge_pkg::LeastVersion[15:0], xt_bridge_pkg::Version[15:0]};
        4'd2: told = {8'd0, 8'(Window), 8'(Nics), 8'(Cards)};
        4'd3: told = xt_pkg::ProfileHash;
        4'd4: told = {16'(ReadWords), 16'(RequestWords)};
        4'd5: told = {16'(ReceiveWords), 16'(InjectWords)};
        4'd6: told = serial_i[31:0];
        4'd7: told = serial_i[63:32];
        4'd8: told = 32'(ClockKhz);
        4'd9: told = 32'(Build);
        4'd10: told = xt_bridge_pkg::ProfileName[31:0];
        4'd11: told = xt_bridge_pkg::ProfileName[63:32];
        4'd12: told = xt_bridge_pkg::ProfileName[95:64];
        4'd13: told = xt_bridge_pkg::ProfileName[127:96];
        default: ;
      endcase
    end else begin
      told = index_q[0] ? {written, acknowledged} : {free, taken};
    end
  end

  assign answer_we_o    = room || (state_q == Accessed && is_read && done_i);
  assign answer_half_o  = half_q;
  assign answer_index_o = index_q[AnswerBits-1:0];
  assign answer_word_o  = room ? told : data_i;

  // ---------------------------------------------------------------- registers and queues
  assign start_o     = state_q == Access;
  assign write_o     = is_write;
  assign address_o   = address_q;
  assign push_o      = (state_q == Size || state_q == Copy) ? chosen : '0;
  assign push_word_o = (state_q == Size) ? 32'(words_i) : word_i;
  assign commit_o    = state_q == Copy && index_d == (CountBits + 1)'(words_i);
  assign hold_o      = state_q == Hold || state_q == Change || state_q == Resetting;
  assign sync_o      = state_q == Change && is_sync;
  assign receive_o   = (state_q == Change && is_receive) ? chosen : '0;
  assign position_o  = argument;
  assign limit_o     = word_i[15:0];
  assign rewind_o    = (word_i & xt_bridge_pkg::Rewind) != '0;

  always @* begin
    card_reset_o = '0;
    for (int c = 0; c < Cards; c++) card_reset_o[c] = state_q == Resetting && card == 8'(c);
  end

  // ---------------------------------------------------------------- answer
  logic [15:0] told_argument;
  logic ok;

  assign ok = status_q == xt_bridge_pkg::StatusOk[3:0];

  always_comb begin
    told_argument = '0;
    if (is_info) told_argument = dropped_i;
    if ((is_read || is_write) && ok) told_argument = argument;
    if (is_inject) told_argument = taken;
    if (is_receive) told_argument = acknowledged;
    // No register holds the address of the failure.
    if (status_q == xt_bridge_pkg::StatusBus[3:0]) told_argument = (again_q && !harmless) ? '0 : address_q;
    if (status_q == xt_bridge_pkg::StatusSequence[3:0]) told_argument = expected_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q        <= Wait;
      expected_q     <= '0;
      known_q        <= '0;
      synced_o       <= 1'b0;
      answer_valid_o <= 1'b0;
      half_q         <= 1'b0;
    end else begin
      if (answer_done_i) answer_valid_o <= 1'b0;
      case (state_q)
        Wait: if (valid_i) state_q <= Judge;
        Judge: begin
          state_q <= Reply;
          if (is_info) state_q <= Tell;
          else if (is_sync || (synced_o && (fresh || (repeated && harmless)))) state_q <= Check;
        end
        Check: begin
          if (objection != xt_bridge_pkg::StatusOk[3:0]) state_q <= Reply;
          else if (is_read || is_write) state_q <= Access;
          else if (is_inject) state_q <= Size;
          else if (is_stream) state_q <= Tell;
          else state_q <= Hold;
        end
        Tell: if (32'(index_q) + 1 == 32'(tell_words)) state_q <= Reply;
        Access: state_q <= Accessed;
        // Without an access only after an upset.
        Accessed: if (done_i || !busy_i) state_q <= (refused_i || last_access || !busy_i) ? Reply : Access;
        Size: state_q <= Copy;
        Copy: if (commit_o) state_q <= Reply;
        Hold: if (held_i) state_q <= Change;
        Change: state_q <= is_reset ? Resetting : Settle;
        Resetting: if (reset_q == '0) state_q <= Settle;
        Settle: state_q <= Reply;
        Reply: if (reply) state_q <= Wait;
        default: state_q <= Wait;  // only after an upset; the request is judged anew
      endcase

      if (sync_o) begin
        synced_o   <= 1'b1;
        expected_q <= sequence_number + 1'b1;
        known_q    <= '0;
      end else if (reply && counts_q) begin
        expected_q <= expected_q + 1'b1;
        if (known_q != (WindowBits + 1)'(Window)) known_q <= known_q + 1'b1;
      end
      if (reply) begin
        answer_valid_o <= 1'b1;
        half_q         <= ~half_q;
      end
    end

    index_q <= index_d;
    case (state_q)
      Judge: begin
        again_q  <= !is_info && !is_sync && synced_o && repeated;
        counts_q <= !is_info && !is_sync && synced_o && fresh;
        status_q <= xt_bridge_pkg::StatusOk[3:0];
        if (!is_info && !is_sync) begin
          if (!synced_o) status_q <= xt_bridge_pkg::StatusUnsynced[3:0];
          else if (repeated) status_q <= statuses_q[sequence_number[WindowBits-1:0]];
          else if (!fresh) status_q <= xt_bridge_pkg::StatusSequence[3:0];
        end
        address_q <= argument;
      end
      Check: status_q <= objection;
      Accessed: begin
        if (done_i && refused_i) status_q <= xt_bridge_pkg::StatusBus[3:0];
        else if (done_i) address_q <= address_q + 16'd4;
      end
      default: ;
    endcase
    reset_q <= (state_q == Change) ? ResetCycles : reset_q - 1'b1;

    if (reply) begin
      if (counts_q) statuses_q[sequence_number[WindowBits-1:0]] <= status_q;
      answer_header_o <= {told_argument, unit, card, sequence_number,
                          {4'd0, status_q} | (again_q ? xt_bridge_pkg::Repeated[7:0] : 8'd0),
                          kind | xt_bridge_pkg::FromBoard[7:0]};
      answer_words_o  <= '0;
      if (ok && (is_info || is_stream)) answer_words_o <= tell_words;
      if (ok && is_read) answer_words_o <= (AnswerBits + 1)'(unit) + 1'b1;
      answer_from_o   <= half_q;
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      sequencer_changes_only_what_was_expected :
      assert (!(write_o && start_o || push_o != '0 || receive_o != '0 || card_reset_o != '0)
              || (counts_q && fresh && synced_o));
    end
  end
`endif

endmodule

`default_nettype wire
