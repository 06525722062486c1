// SPDX-License-Identifier: Apache-2.0
//
// Bridge of the protocol in host/protocol/README.md: a pair of byte streams to a host, and behind them the registers and
// NIC ports of one or more cards of one profile. All parts share one clock.
//
// Rate: a byte per cycle in each direction.
`default_nettype none

module xt_bridge #(
  /// Cards behind the bridge.
  parameter int Cards = 1,
  /// Limit of requests under way.
  parameter int Window = 16,
  /// Most words of a request, a power of two.
  parameter int RequestWords = (xt_bridge_pkg::LeastPayload > 64) ? 128 : 64,
  /// Most words of a READ, a power of two.
  parameter int ReadWords = 64,
  /// Words of each queue to a NIC port.
  parameter int InjectWords = 512,
  /// Words of each queue from a NIC port.
  parameter int ReceiveWords = 1024,
  /// Clock of the cards in kHz; 0: not known.
  parameter int ClockKhz = 0,
  /// Build of the bitstream.
  parameter int Build = 0,
  /// NIC ports of all cards: that of card c and port n is c * NicPorts + n.
  localparam int Queues = Cards * xt_pkg::NicPorts
) (
  /// Clock.
  input  logic                                clk_i,
  /// Reset, active low, synchronous.
  input  logic                                rst_ni,
  /// Serial number of the board.
  input  logic [                        63:0] serial_i,
  /// The host configures the interface: the frame under reception is discarded.
  input  logic                                restart_i,

  /// Bytes from the host.
  input  logic                                rx_valid_i,
  /// Bytes from the host.
  output logic                                rx_ready_o,
  /// Bytes from the host.
  input  logic [                         7:0] rx_byte_i,
  /// Bytes to the host.
  output logic                                tx_valid_o,
  /// Bytes to the host.
  input  logic                                tx_ready_i,
  /// Bytes to the host.
  output logic [                         7:0] tx_byte_o,

  /// Reset of each card, active low; without a link layer that of all cards together.
  output logic [                   Cards-1:0] card_rst_no,
  /// A link of this card has come up or gone down, or an error has happened: a pulse.
  input  logic [                   Cards-1:0] attention_i,

  /// AXI4-Lite write address.
  output logic [                   Cards-1:0] axil_awvalid_o,
  /// AXI4-Lite write address.
  input  logic [                   Cards-1:0] axil_awready_i,
  /// AXI4-Lite write data.
  output logic [                   Cards-1:0] axil_wvalid_o,
  /// AXI4-Lite write data.
  input  logic [                   Cards-1:0] axil_wready_i,
  /// AXI4-Lite write data, the same for all cards.
  output logic [                        31:0] axil_wdata_o,
  /// AXI4-Lite write response.
  input  logic [                   Cards-1:0] axil_bvalid_i,
  /// AXI4-Lite write response.
  output logic [                   Cards-1:0] axil_bready_o,
  /// AXI4-Lite write response.
  input  logic [                 2*Cards-1:0] axil_bresp_i,
  /// AXI4-Lite read address.
  output logic [                   Cards-1:0] axil_arvalid_o,
  /// AXI4-Lite read address.
  input  logic [                   Cards-1:0] axil_arready_i,
  /// AXI4-Lite addresses of both kinds, the same for all cards.
  output logic [                        15:0] axil_address_o,
  /// AXI4-Lite read data.
  input  logic [                   Cards-1:0] axil_rvalid_i,
  /// AXI4-Lite read data.
  output logic [                   Cards-1:0] axil_rready_o,
  /// AXI4-Lite read data.
  input  logic [                32*Cards-1:0] axil_rdata_i,
  /// AXI4-Lite read data.
  input  logic [                 2*Cards-1:0] axil_rresp_i,

  /// AXI4-Stream to the NIC ports.
  output logic [                  Queues-1:0] nic_tvalid_o,
  /// AXI4-Stream to the NIC ports.
  input  logic [                  Queues-1:0] nic_tready_i,
  /// AXI4-Stream to the NIC ports.
  output logic [Queues*xt_pkg::CellBits-1:0] nic_tdata_o,
  /// AXI4-Stream to the NIC ports.
  output logic [                  Queues-1:0] nic_tlast_o,
  /// AXI4-Stream from the NIC ports.
  input  logic [                  Queues-1:0] nic_tvalid_i,
  /// AXI4-Stream from the NIC ports.
  output logic [                  Queues-1:0] nic_tready_o,
  /// AXI4-Stream from the NIC ports.
  input  logic [Queues*xt_pkg::CellBits-1:0] nic_tdata_i,
  /// AXI4-Stream from the NIC ports.
  input  logic [                  Queues-1:0] nic_tlast_i,
  /// AXI4-Stream from the NIC ports.
  input  logic [                  Queues-1:0] nic_tuser_i
);

  localparam int Nics = xt_pkg::NicPorts;
  localparam int CellWords = xt_bridge_pkg::CellWords;
  localparam int CellBits = xt_pkg::CellBits;
  localparam int CountBits = $clog2(RequestWords + 3);
  localparam int IndexBits = $clog2(RequestWords);
  localparam int AnswerBits = $clog2((ReadWords < 16) ? 16 : ReadWords);
  localparam int CardBits = (Cards > 1) ? $clog2(Cards) : 1;
  // Enough for the words of an answer and of a packet.
  localparam int FrameBits = 11;

  if (ReceiveWords <= xt_pkg::PacketCells * CellWords || InjectWords <= xt_pkg::PacketCells * CellWords)
  begin : g_illegal
    xt_bridge_queues_must_hold_the_longest_packet i_illegal ();
  end

  // ---------------------------------------------------------------- requests
  logic                  request_valid, request_cells, request_take;
  logic [          63:0] request_header;
  logic [ CountBits-1:0] request_words;
  logic [ IndexBits-1:0] request_index;
  logic [          31:0] request_word;
  logic [          15:0] dropped;

  xt_bridge_receiver #(
    .Words    (RequestWords),
    .CellWords(CellWords)
  ) i_receiver (
    .clk_i,
    .rst_ni,
    .restart_i,
    .valid_i  (rx_valid_i),
    .ready_o  (rx_ready_o),
    .byte_i   (rx_byte_i),
    .valid_o  (request_valid),
    .header_o (request_header),
    .words_o  (request_words),
    .cells_o  (request_cells),
    .take_i   (request_take),
    .index_i  (request_index),
    .word_o   (request_word),
    .dropped_o(dropped)
  );

  // ---------------------------------------------------------------- sequencer
  logic                  answer_we, answer_half, answer_valid, answer_from, answer_done;
  logic [AnswerBits-1:0] answer_index;
  logic [          31:0] answer_word, answer_read;
  logic [          63:0] answer_header;
  logic [  AnswerBits:0] answer_words;
  logic                  start, write, done, access_busy, refused;
  logic [  CardBits-1:0] card;
  logic [          15:0] address;
  logic [          31:0] data;
  logic                  sync, synced, hold, held, commit, rewind;
  logic [    Queues-1:0] push, receive;
  logic [          31:0] push_word;
  logic [ 16*Queues-1:0] free, taken, acknowledged, written;
  logic [          15:0] position, limit;
  logic [     Cards-1:0] card_reset;

  xt_bridge_sequencer #(
    .Cards       (Cards),
    .Nics        (Nics),
    .Window      (Window),
    .RequestWords(RequestWords),
    .ReadWords   (ReadWords),
    .InjectWords (InjectWords),
    .ReceiveWords(ReceiveWords),
    .ClockKhz    (ClockKhz),
    .Build       (Build)
  ) i_sequencer (
    .clk_i,
    .rst_ni,
    .serial_i,
    .dropped_i      (dropped),
    .valid_i        (request_valid),
    .header_i       (request_header),
    .words_i        (request_words),
    .cells_i        (request_cells),
    .take_o         (request_take),
    .index_o        (request_index),
    .word_i         (request_word),
    .answer_we_o    (answer_we),
    .answer_half_o  (answer_half),
    .answer_index_o (answer_index),
    .answer_word_o  (answer_word),
    .answer_valid_o (answer_valid),
    .answer_header_o(answer_header),
    .answer_words_o (answer_words),
    .answer_from_o  (answer_from),
    .answer_done_i  (answer_done),
    .start_o        (start),
    .write_o        (write),
    .card_o         (card),
    .address_o      (address),
    .done_i         (done),
    .busy_i         (access_busy),
    .refused_i      (refused),
    .data_i         (data),
    .sync_o         (sync),
    .synced_o       (synced),
    .hold_o         (hold),
    .held_i         (held),
    .push_o         (push),
    .push_word_o    (push_word),
    .commit_o       (commit),
    .free_i         (free),
    .taken_i        (taken),
    .receive_o      (receive),
    .position_o     (position),
    .limit_o        (limit),
    .rewind_o       (rewind),
    .acknowledged_i (acknowledged),
    .written_i      (written),
    .card_reset_o   (card_reset)
  );

  xt_bridge_master #(
    .Cards(Cards)
  ) i_master (
    .clk_i,
    .rst_ni,
    .start_i  (start),
    .write_i  (write),
    .card_i   (card),
    .address_i(address),
    .data_i   (request_word),
    .done_o   (done),
    .busy_o   (access_busy),
    .refused_o(refused),
    .data_o   (data),
    .awvalid_o(axil_awvalid_o),
    .awready_i(axil_awready_i),
    .wvalid_o (axil_wvalid_o),
    .wready_i (axil_wready_i),
    .wdata_o  (axil_wdata_o),
    .bvalid_i (axil_bvalid_i),
    .bready_o (axil_bready_o),
    .bresp_i  (axil_bresp_i),
    .arvalid_o(axil_arvalid_o),
    .arready_i(axil_arready_i),
    .address_o(axil_address_o),
    .rvalid_i (axil_rvalid_i),
    .rready_o (axil_rready_o),
    .rdata_i  (axil_rdata_i),
    .rresp_i  (axil_rresp_i)
  );

  // ---------------------------------------------------------------- queues
  logic [   Queues-1:0] available, waiting, sent;
  logic [16*Queues-1:0] next;
  logic [32*Queues-1:0] queue_word;
  logic [         15:0] offset, length;
  logic [    Cards-1:0] resets, card_rst_n_q;

  // Both ends of a plain link count its credits, so one of them alone would forget those of the other.
  assign resets = (xt_pkg::HasLinkLayer != 0) ? card_reset : {Cards{card_reset != '0}};

  // A register, for a reset must not glitch.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) card_rst_n_q <= '0;
    else card_rst_n_q <= ~resets;
  end
  assign card_rst_no = card_rst_n_q;

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    xt_bridge_inject_queue #(
      .Depth    (InjectWords),
      .CellWords(CellWords),
      .CellBits (CellBits)
    ) i_inject (
      .clk_i,
      .rst_ni  (card_rst_n_q[q/Nics]),
      .push_i  (push[q]),
      .word_i  (push_word),
      .commit_i(commit),
      .sync_i  (sync),
      .free_o  (free[16*q+:16]),
      .taken_o (taken[16*q+:16]),
      .tvalid_o(nic_tvalid_o[q]),
      .tready_i(nic_tready_i[q]),
      .tdata_o (nic_tdata_o[CellBits*q+:CellBits]),
      .tlast_o (nic_tlast_o[q])
    );

    xt_bridge_receive_queue #(
      .Depth    (ReceiveWords),
      .CellWords(CellWords),
      .CellBits (CellBits)
    ) i_receive (
      .clk_i,
      .rst_ni        (card_rst_n_q[q/Nics]),
      .tvalid_i      (nic_tvalid_i[q]),
      .tready_o      (nic_tready_o[q]),
      .tdata_i       (nic_tdata_i[CellBits*q+:CellBits]),
      .tlast_i       (nic_tlast_i[q]),
      .tuser_i       (nic_tuser_i[q]),
      .sync_i        (sync),
      .receive_i     (receive[q]),
      .position_i    (position),
      .limit_i       (limit),
      .rewind_i      (rewind),
      .available_o   (available[q]),
      .waiting_o     (waiting[q]),
      .offset_i      (offset),
      .word_o        (queue_word[32*q+:32]),
      .sent_i        (sent[q]),
      .length_i      (length),
      .acknowledged_o(acknowledged[16*q+:16]),
      .next_o        (next[16*q+:16]),
      .written_o     (written[16*q+:16])
    );
  end

  // ---------------------------------------------------------------- to the host
  logic                 frame_valid, frame_begin, frame_done, frame_busy;
  logic [         63:0] frame_header;
  logic [FrameBits-1:0] frame_words, frame_index;
  logic [         31:0] frame_word;

  xt_ram_1r1w #(
    .Width(32),
    .Depth(2 << AnswerBits)
  ) i_answers (
    .clk_i,
    .we_i   (answer_we),
    .waddr_i({answer_half, answer_index}),
    .wdata_i(answer_word),
    .raddr_i({answer_from, frame_index[AnswerBits-1:0]}),
    .rdata_o(answer_read)
  );

  xt_bridge_outbox #(
    .Cards    (Cards),
    .Nics     (Nics),
    .CountBits(FrameBits)
  ) i_outbox (
    .clk_i,
    .rst_ni,
    .sync_i         (sync),
    .synced_i       (synced),
    .attention_i,
    .answer_valid_i (answer_valid),
    .answer_header_i(answer_header),
    .answer_words_i (FrameBits'(answer_words)),
    .answer_word_i  (answer_read),
    .answer_done_o  (answer_done),
    .hold_i         (hold),
    .held_o         (held),
    .available_i    (available),
    .waiting_i      (waiting),
    .position_i     (next),
    .offset_o       (offset),
    .word_i         (queue_word),
    .sent_o         (sent),
    .length_o       (length),
    .valid_o        (frame_valid),
    .header_o       (frame_header),
    .words_o        (frame_words),
    .index_i        (frame_index),
    .word_o         (frame_word),
    .begin_i        (frame_begin),
    .done_i         (frame_done),
    .busy_i         (frame_busy)
  );

  xt_bridge_sender #(
    .CountBits(FrameBits)
  ) i_sender (
    .clk_i,
    .rst_ni,
    .valid_i (frame_valid),
    .header_i(frame_header),
    .words_i (frame_words),
    .index_o (frame_index),
    .word_i  (frame_word),
    .begin_o (frame_begin),
    .done_o  (frame_done),
    .busy_o  (frame_busy),
    .valid_o (tx_valid_o),
    .ready_i (tx_ready_i),
    .byte_o  (tx_byte_o)
  );

endmodule

`default_nettype wire
