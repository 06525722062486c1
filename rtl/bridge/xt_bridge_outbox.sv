// SPDX-License-Identifier: Apache-2.0
//
// Chooses the next frame to the host: answers, events and packets take turns. Packets come from the next NIC port that
// has a packet and may send. A bit per event marks the unsent events. The events of a round are sent before those that
// come later.
//
// Fairness: an answer, the events and the packets each wait for at most one frame of each other kind, after the frame
// under way. A NIC port waits for at most one packet of each other port. An event waits for at most two of each other.
//
// Latency: the next frame is ready 3 cycles after the last word of the frame before was read, while that frame ends. So
// no byte is lost between frames if few NIC ports are without packets.
`default_nettype none

module xt_bridge_outbox #(
  /// Cards.
  parameter int Cards = 1,
  /// NIC ports of each card.
  parameter int Nics = 1,
  /// Bits of a number of words.
  parameter int CountBits = 8,
  /// NIC ports of all cards.
  localparam int Queues = Cards * Nics,
  /// Bits of the number of a queue.
  localparam int QueueBits = (Queues > 1) ? $clog2(Queues) : 1
) (
  /// Clock.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,

  /// A session begins.
  input  logic                 sync_i,
  /// A session has begun since reset.
  input  logic                 synced_i,
  /// Something has changed in these cards: a pulse.
  input  logic [    Cards-1:0] attention_i,

  /// An answer is ready; the whole answer stays until answer_done_o.
  input  logic                 answer_valid_i,
  /// Header of the frame, first byte lowest.
  input  logic [         63:0] answer_header_i,
  /// Words of the payload.
  input  logic [CountBits-1:0] answer_words_i,
  /// Payload word of the answer, addressed in the previous cycle.
  input  logic [         31:0] answer_word_i,
  /// The answer has been read.
  output logic                 answer_done_o,

  /// Begin no packet.
  input  logic                 hold_i,
  /// None is being sent.
  output logic                 held_o,
  /// The queue of this NIC port has a packet that may be sent.
  input  logic [   Queues-1:0] available_i,
  /// The queue has a packet that may not be sent yet.
  input  logic [   Queues-1:0] waiting_i,
  /// Position of the next packet.
  input  logic [16*Queues-1:0] position_i,
  /// Word of the queues to read, counted from that position.
  output logic [         15:0] offset_o,
  /// The words addressed in the previous cycle.
  input  logic [32*Queues-1:0] word_i,
  /// The next packet of this queue is sent.
  output logic [   Queues-1:0] sent_o,
  /// Words of the packet, with the word before it.
  output logic [         15:0] length_o,

  /// To the sender: a frame.
  output logic                 valid_o,
  /// Header of the frame.
  output logic [         63:0] header_o,
  /// Words of the payload.
  output logic [CountBits-1:0] words_o,
  /// Word of the payload to read.
  input  logic [CountBits-1:0] index_i,
  /// The word addressed in the previous cycle.
  output logic [         31:0] word_o,
  /// The frame has begun.
  input  logic                 begin_i,
  /// The whole frame has been read.
  input  logic                 done_i,
  /// The sender is within a frame.
  input  logic                 busy_i
);

  typedef enum logic [2:0] {
    Choose,  // of the frames the kind after the last one
    Length,  // of the chosen packet
    Answer,
    Event,
    Packet
  } state_t;

  state_t state_q;
  state_t turn, last_q;  // kind of the next frame; of the last
  logic   sending_q;  // the frame has begun
  logic [QueueBits-1:0] queue_q;  // that is looked at or sent from
  logic [7:0] card_q, unit_q;  // of it
  logic [15:0] position;
  logic [31:0] word;
  logic available;

  always @* begin
    available = 1'b0;
    position  = '0;
    word      = '0;
    sent_o    = '0;
    for (int q = 0; q < Queues; q++) begin
      if (queue_q == q[QueueBits-1:0]) begin
        available = available_i[q];
        position  = position_i[16*q+:16];
        word      = word_i[32*q+:32];
        sent_o[q] = state_q == Packet && done_i;
      end
    end
  end

  assign offset_o      = (state_q == Packet) ? 16'(index_i) + 16'd1 : 16'd0;
  assign word_o        = (state_q == Packet) ? word : answer_word_i;
  assign length_o      = 16'(words_o) + 16'd1;
  assign answer_done_o = state_q == Answer && done_i;
  assign held_o        = hold_i && state_q != Length && state_q != Packet;
  assign valid_o       = (state_q == Answer || state_q == Event || state_q == Packet) && !sending_q;

  // ---------------------------------------------------------------- events
  logic              started_q;
  logic [ Cards-1:0] attention_q, attention_round_q;
  logic [Queues-1:0] waiting_q, waiting_round_q, was_waiting_q;
  logic              round_over;
  logic [      15:0] number_q;
  logic              event_there, event_taken;
  logic [       7:0] event_kind, event_card, event_unit;
  logic              take_started;
  logic [ Cards-1:0] take_attention;
  logic [Queues-1:0] take_waiting;

  always @* begin
    event_there    = 1'b0;
    event_kind     = xt_bridge_pkg::EventStarted;
    event_card     = '0;
    event_unit     = '0;
    take_started   = 1'b0;
    take_attention = '0;
    take_waiting   = '0;
    for (int q = 0; q < Queues; q++) begin
      if (synced_i && waiting_round_q[q]) begin
        event_there     = 1'b1;
        event_kind      = xt_bridge_pkg::EventWaiting;
        event_card      = 8'(q / Nics);
        event_unit      = 8'(q % Nics);
        take_waiting    = '0;
        take_waiting[q] = 1'b1;
      end
    end
    for (int c = 0; c < Cards; c++) begin
      if (synced_i && attention_round_q[c]) begin
        event_there       = 1'b1;
        event_kind        = xt_bridge_pkg::EventAttention;
        event_card        = 8'(c);
        event_unit        = '0;
        take_waiting      = '0;
        take_attention    = '0;
        take_attention[c] = 1'b1;
      end
    end
    if (started_q) begin
      event_there    = 1'b1;
      event_kind     = xt_bridge_pkg::EventStarted;
      event_card     = '0;
      event_unit     = '0;
      take_waiting   = '0;
      take_attention = '0;
      take_started   = 1'b1;
    end
  end

  assign event_taken = state_q == Choose && turn == Event;
  assign round_over  = attention_round_q == '0 && waiting_round_q == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q     <= 1'b1;
      attention_q   <= '0;
      waiting_q     <= '0;
      was_waiting_q <= '0;
      attention_round_q <= '0;
      waiting_round_q   <= '0;
      number_q      <= '0;
    end else begin
      if (event_taken) begin
        number_q  <= number_q + 1'b1;
        started_q <= started_q & ~take_started;
      end
      attention_q   <= (attention_q & ~(event_taken ? take_attention : '0)) | attention_i;
      attention_round_q <= round_over ? attention_q : attention_round_q & ~(event_taken ? take_attention : '0);
      waiting_round_q   <= round_over ? waiting_q : waiting_round_q & ~(event_taken ? take_waiting : '0);
      // Also those that waited before the session began.
      was_waiting_q <= sync_i ? '0 : waiting_i;
      waiting_q     <= (waiting_q & ~(event_taken ? take_waiting : '0)) | (waiting_i & ~was_waiting_q);
    end
  end

  // ---------------------------------------------------------------- choice
  logic packet_there;
  assign packet_there = available_i != '0 && !hold_i;

  always_comb begin
    // The kind that comes first is assigned last.
    turn = Choose;
    case (last_q)
      Answer: begin
        if (answer_valid_i) turn = Answer;
        if (packet_there) turn = Packet;
        if (event_there) turn = Event;
      end
      Event: begin
        if (event_there) turn = Event;
        if (answer_valid_i) turn = Answer;
        if (packet_there) turn = Packet;
      end
      default: begin
        if (packet_there) turn = Packet;
        if (event_there) turn = Event;
        if (answer_valid_i) turn = Answer;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= Choose;
      last_q    <= Packet;
      sending_q <= 1'b0;
      queue_q   <= '0;
      card_q    <= '0;
      unit_q    <= '0;
    end else begin
      if (begin_i) sending_q <= 1'b1;
      if (done_i) sending_q <= 1'b0;
      case (state_q)
        Choose: begin
          // In the packets' turn the next port with one is looked for.
          if (turn != Packet) state_q <= turn;
          else if (available) state_q <= Length;
          if (turn == Answer || turn == Event || (turn == Packet && available)) last_q <= turn;
        end
        Length: state_q <= Packet;
        Answer, Event, Packet: if (done_i) state_q <= Choose;
        default: state_q <= Choose;  // only after an upset
      endcase
      // Only after an upset: the frame ended without its last word. It is chosen anew.
      if (sending_q && !busy_i) begin
        sending_q <= 1'b0;
        state_q   <= Choose;
      end
      // The queue after the one that was sent from, or that had nothing.
      if ((state_q == Packet && done_i) || (state_q == Choose && !available)) begin
        if (queue_q == QueueBits'(Queues - 1)) begin
          queue_q <= '0;
          card_q  <= '0;
          unit_q  <= '0;
        end else begin
          queue_q <= queue_q + 1'b1;
          unit_q  <= (unit_q == 8'(Nics - 1)) ? '0 : unit_q + 1'b1;
          if (unit_q == 8'(Nics - 1)) card_q <= card_q + 1'b1;
        end
      end
    end
    if (state_q == Choose) begin
      if (turn == Answer) begin
        header_o <= answer_header_i;
        words_o  <= answer_words_i;
      end else begin
        header_o <= {8'd0, event_kind, event_unit, event_card, number_q, 8'd0, xt_bridge_pkg::KindEvent};
        words_o  <= '0;
      end
    end else if (state_q == Length) begin
      header_o <= {position, unit_q, card_q, 16'd0, word[16] ? xt_bridge_pkg::Poisoned[7:0] : 8'd0,
                   xt_bridge_pkg::KindPacket};
      words_o  <= word[CountBits-1:0];
    end
  end

endmodule

`default_nettype wire
