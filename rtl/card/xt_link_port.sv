// SPDX-License-Identifier: Apache-2.0
//
// A link port of a card: a link layer (xt_link), or a plain link where the profile has none.
//
// Latency: that of xt_link or xt_plain_link.
// Speed: likewise. This module adds no logic but the count of dropped packets.
`default_nettype none

module xt_link_port #(
  /// Cycles from a frame to the next; not 1 only with a link layer.
  parameter int FrameCycles = 1,
  /// Bits of a cell inside the switch: with a link layer, the poison bit is on top.
  localparam int StoredBits = xt_pkg::CellBits + xt_pkg::HasLinkLayer
) (
  /// Clock.
  input  logic                          clk_i,
  /// Reset, active low, synchronous.
  input  logic                          rst_ni,
  /// Link in: a frame.
  input  logic                          link_valid_i,
  /// Link in: the frame.
  input  logic  [xt_pkg::FrameBits-1:0] link_frame_i,
  /// Link out: a frame.
  output logic                          link_valid_o,
  /// Link out: the frame.
  output logic  [xt_pkg::FrameBits-1:0] link_frame_o,
  /// From the switch: a cell.
  input  logic                          tx_valid_i,
  /// VC of the cell.
  input  logic     [xt_pkg::VcBits-1:0] tx_vc_i,
  /// The cell.
  input  logic         [StoredBits-1:0] tx_cell_i,
  /// From the switch: a cell of the input buffer was freed.
  input  logic                          tx_credit_valid_i,
  /// The VC that the cell had come on.
  input  logic     [xt_pkg::VcBits-1:0] tx_credit_vc_i,
  /// To the switch: a cell.
  output logic                          rx_valid_o,
  /// VC of the cell.
  output logic     [xt_pkg::VcBits-1:0] rx_vc_o,
  /// The cell.
  output logic         [StoredBits-1:0] rx_cell_o,
  /// To the switch: a cell was freed at the other end.
  output logic                          rx_credit_valid_o,
  /// The VC of that cell.
  output logic     [xt_pkg::VcBits-1:0] rx_credit_vc_o,
  /// A head may come.
  output logic                          lookahead_valid_o,
  /// VC of the cell that may come LookupCycles from now.
  output logic     [xt_pkg::VcBits-1:0] lookahead_vc_o,
  /// Destination in that cell, if the cell is a header.
  output logic     [xt_pkg::IdBits-1:0] lookahead_dest_o,
  /// No new packet may start to this link.
  output logic                          hold_o,
  /// Cells from the switch are dropped.
  output logic                          down_o,
  /// A pulse: all cells of the buffer at the other end are free.
  output logic                          restart_o,
  /// The input buffer is initialised and holds no cell from this link.
  input  logic                          input_empty_i,
  /// A pulse: leave UP or DOWN for TRAIN.
  input  logic                          retrain_i,
  /// Go DOWN, and stay there.
  input  logic                          disable_i,
  /// Time in cycles, which runs at least while busy_o is set.
  input  logic                 [16-1:0] now_i,
  /// now_i and the cycles without an ack until the replay.
  input  logic                 [16-1:0] expiry_i,
  /// Replays in a row without an ack.
  input  logic                  [8-1:0] retry_limit_i,
  /// The setting before is not 0.
  input  logic                          retries_i,
  /// Cycles between signs of life; 0: none are sent or expected.
  input  logic                 [16-1:0] keepalive_i,
  /// The setting before is not 0.
  input  logic                          keeps_alive_i,
  /// 0 TRAIN, 1 UP, 2 DOWN.
  output logic                  [2-1:0] state_o,
  /// Cause of DOWN.
  output logic                  [3-1:0] cause_o,
  /// A pulse: a frame came whose check word was wrong.
  output logic                          crc_error_o,
  /// A pulse: a nack was sent.
  output logic                          nack_o,
  /// A pulse: a replay began.
  output logic                          replay_o,
  /// A pulse: the cause of the replay was a timeout.
  output logic                          timeout_o,
  /// A pulse: training began by retrain_i.
  output logic                          retrain_o,
  /// A pulse: a packet under reception was cut.
  output logic                          cut_o,
  /// A pulse: a packet from the switch was dropped, or given up.
  output logic                          dropped_o,
  /// Something is in flight or pending.
  output logic                          active_o,
  /// The same without signs of life.
  output logic                          busy_o
);

  wire [xt_pkg::CellBits-1:0] to_link = tx_cell_i[xt_pkg::CellBits-1:0];
  logic [xt_pkg::CellBits-1:0] from_link;

  if (xt_pkg::HasLinkLayer != 0) begin : g_layer
    logic poison, dropped_whole, dropped_end;

    xt_link #(
      .VcBits       (xt_pkg::VcBits),
      .CellBits     (xt_pkg::CellBits),
      .IdBits       (xt_pkg::IdBits),
      .DestLsb      (xt_pkg::HdrDestLsb),
      .HdrLenLsb    (xt_pkg::HdrLenLsb),
      .LenBits      (xt_pkg::LenBits),
      .PacketCells  (xt_pkg::PacketCells),
      .ReplayCells  (xt_pkg::ReplayCells),
      .CreditEntries(xt_pkg::BufferCells),
      .ReplayBypass (xt_pkg::ReplayBypass != 0),
      .FrameCycles  (FrameCycles),
      .FrameBits    (xt_pkg::FrameBits)
    ) i_link (
      .clk_i,
      .rst_ni,
      .link_valid_i,
      .link_frame_i,
      .link_valid_o,
      .link_frame_o,
      .tx_valid_i,
      .tx_vc_i,
      .tx_cell_i        (to_link),
      .tx_poison_i      (tx_cell_i[StoredBits-1]),
      .tx_credit_valid_i,
      .tx_credit_vc_i,
      .rx_valid_o,
      .rx_vc_o,
      .rx_cell_o        (from_link),
      .rx_poison_o      (poison),
      .rx_credit_valid_o,
      .rx_credit_vc_o,
      .lookahead_vc_o,
      .lookahead_dest_o,
      .hold_o,
      .down_o,
      .restart_o,
      .input_empty_i,
      .retrain_i,
      .disable_i,
      .now_i,
      .expiry_i,
      .retry_limit_i,
      .retries_i,
      .keepalive_i,
      .keeps_alive_i,
      .state_o,
      .cause_o,
      .crc_error_o,
      .nack_o,
      .replay_o,
      .timeout_o,
      .retrain_o,
      .cut_o,
      .dropped_o        (dropped_end),
      .lost_o           (dropped_whole),
      .active_o,
      .busy_o
    );
    assign dropped_o         = dropped_end | dropped_whole;
    assign lookahead_valid_o = link_valid_i;
    assign rx_cell_o         = {poison, from_link};
  end else begin : g_plain
    if (FrameCycles != 1) begin : g_illegal
      xt_plain_link_takes_a_frame_in_every_cycle i_illegal ();
    end
    xt_plain_link #(
      .VcBits   (xt_pkg::VcBits),
      .CellBits (xt_pkg::CellBits),
      .IdBits   (xt_pkg::IdBits),
      .DestLsb  (xt_pkg::HdrDestLsb),
      .LookupCycles(xt_pkg::LookupCycles),
      .FrameBits(xt_pkg::FrameBits)
    ) i_link (
      .clk_i,
      .rst_ni,
      .link_valid_i,
      .link_frame_i,
      .link_valid_o,
      .link_frame_o,
      .tx_valid_i,
      .tx_vc_i,
      .tx_cell_i        (to_link),
      .tx_credit_valid_i,
      .tx_credit_vc_i,
      .rx_valid_o,
      .rx_vc_o,
      .rx_cell_o        (from_link),
      .rx_credit_valid_o,
      .rx_credit_vc_o,
      .lookahead_valid_o,
      .lookahead_vc_o,
      .lookahead_dest_o,
      .active_o
    );
    assign rx_cell_o   = from_link;
    assign busy_o      = active_o;
    assign hold_o      = 1'b0;
    assign down_o      = 1'b0;
    assign restart_o   = 1'b0;
    assign state_o     = 2'd1;
    assign cause_o     = 3'd0;
    assign crc_error_o = 1'b0;
    assign nack_o      = 1'b0;
    assign replay_o    = 1'b0;
    assign timeout_o   = 1'b0;
    assign retrain_o   = 1'b0;
    assign cut_o       = 1'b0;
    assign dropped_o   = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{input_empty_i, disable_i, retrain_i, now_i, expiry_i, retry_limit_i, retries_i, keepalive_i, keeps_alive_i};
    // verilator lint_on UNUSEDSIGNAL
  end

endmodule

`default_nettype wire
