// SPDX-License-Identifier: Apache-2.0
//
// Receiving half of a link: checks each frame, delivers what comes next of both streams (xt_retry_rx), and tells
// what the frame says to this end's senders and to the state of the link.
//
// When the link leaves UP within a packet, cells with poison and no payload, one per cycle, complete the packet.
//
// Latency: 2 cycles from the pins to rx_* and to the events. lookahead_* comes straight from the pins.
// Speed: the check word, a tree between registers; its comparison is in two cycles.
`default_nettype none

module xt_link_receive #(
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
  /// Bits of the sequence number of a cell.
  parameter int CellSeqBits = 7,
  /// Bits of the sequence number of a credit.
  parameter int CreditSeqBits = 7,
  /// Bits of a frame.
  parameter int FrameBits = 2 * (VcBits + CellSeqBits + CreditSeqBits) + CellBits + 39
) (
  /// Clock.
  input  logic                     clk_i,
  /// Reset, active low, synchronous.
  input  logic                     rst_ni,

  /// Link in: a frame.
  input  logic                     link_valid_i,
  /// Link in: the frame.
  input  logic [    FrameBits-1:0] link_frame_i,
  /// The link is UP.
  input  logic                     up_i,
  /// A frame may begin to leave.
  input  logic                     slot_i,
  /// A normal frame leaves, with the acknowledgements.
  input  logic                     sent_i,

  /// VC of the cell that may come out by rx_* in 2 cycles; straight from the pins.
  output logic [       VcBits-1:0] lookahead_vc_o,
  /// Destination in that cell, if the cell is a header.
  output logic [       IdBits-1:0] lookahead_dest_o,
  /// To the switch: a cell.
  output logic                     rx_valid_o,
  /// VC of the cell.
  output logic [       VcBits-1:0] rx_vc_o,
  /// The cell.
  output logic [     CellBits-1:0] rx_cell_o,
  /// The packet of the cell is incomplete.
  output logic                     rx_poison_o,
  /// To the switch: a cell was freed at the other end.
  output logic                     rx_credit_valid_o,
  /// The VC of that cell.
  output logic [       VcBits-1:0] rx_credit_vc_o,

  /// To be sent: number of the next cell that is expected.
  output logic [  CellSeqBits-1:0] cell_ack_o,
  /// To be sent: cells are to be repeated.
  output logic                     cell_nack_o,
  /// To be sent: number of the next credit that is expected.
  output logic [CreditSeqBits-1:0] credit_ack_o,
  /// To be sent: credits are to be repeated.
  output logic                     credit_nack_o,
  /// One of these has not been sent yet.
  output logic                     pending_o,

  /// Acknowledgements came, for this end's senders.
  output logic                     ack_valid_o,
  /// Of cells: the number.
  output logic [  CellSeqBits-1:0] cell_ack_came_o,
  /// Of cells: repeat from there.
  output logic                     cell_nack_came_o,
  /// Of credits: the number.
  output logic [CreditSeqBits-1:0] credit_ack_came_o,
  /// Of credits: repeat from there.
  output logic                     credit_nack_came_o,

  /// A frame came that is intact; the events follow a cycle later.
  output logic                     intact_o,
  /// The other end trains.
  output logic                     train_event_o,
  /// The other end trains and hears this one.
  output logic                     heard_event_o,
  /// The other end is down.
  output logic                     down_event_o,
  /// The other end is up.
  output logic                     normal_event_o,
  /// A training frame is to be answered.
  output logic                     answer_o,
  /// A cut packet is being completed.
  output logic                     complete_o,
  /// A pulse: a frame came whose check word was wrong.
  output logic                     crc_error_o,
  /// A pulse: a packet under reception was cut; its missing cells follow with poison.
  output logic                     cut_o,
  /// A frame or an event is here.
  output logic                     active_o
);

  localparam int BodyBits = FrameBits - 32;

  localparam logic [1:0] CtrlNormal = 2'd0;
  localparam logic [1:0] CtrlTrain = 2'd1;
  localparam logic [1:0] CtrlHeard = 2'd2;
  localparam logic [1:0] CtrlDown = 2'd3;

  // ---------------------------------------------------------------- cycle -2: check word
  logic [31:0] rx_check;
  logic [ 7:0] rx_wrong_q;  // some of 4 bits of the check word differ
  logic        rx_valid_q;
  logic [BodyBits-1:0] rx_body_q;

  assign lookahead_vc_o   = link_frame_i[3+CellSeqBits+:VcBits];
  assign lookahead_dest_o = link_frame_i[4+CellSeqBits+VcBits+DestLsb+:IdBits];

  xt_link_check #(
    .Bits(BodyBits)
  ) i_rx_check (
    .valid_i(link_valid_i),
    .data_i (link_frame_i[BodyBits-1:0]),
    .check_o(rx_check)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) rx_valid_q <= 1'b0;
    else rx_valid_q <= link_valid_i;
    if (link_valid_i) begin
      rx_body_q <= link_frame_i[BodyBits-1:0];
      for (int i = 0; i < 8; i++) begin
        rx_wrong_q[i] <= rx_check[4*i+:4] != link_frame_i[BodyBits+4*i+:4];
      end
    end
  end

  // ---------------------------------------------------------------- cycle -1: sequence
  logic [          1:0] in_ctrl;
  logic                 in_cell_valid, in_poison, in_credit_valid, in_cell_nack, in_credit_nack;
  logic [CellSeqBits-1:0] in_cell_seq, in_cell_ack;
  logic [CreditSeqBits-1:0] in_credit_seq, in_credit_ack;
  logic [   VcBits-1:0] in_vc, in_credit_vc;
  logic [ CellBits-1:0] in_cell;
  logic                 intact, broken, normal, take_cell, take_credit;

  assign {in_credit_nack, in_credit_ack, in_cell_nack, in_cell_ack, in_credit_vc, in_credit_seq,
          in_credit_valid, in_cell, in_poison, in_vc, in_cell_seq, in_cell_valid, in_ctrl} = rx_body_q;

  assign intact = rx_valid_q & (rx_wrong_q == '0);
  assign broken = rx_valid_q & (rx_wrong_q != '0);
  assign normal = up_i & intact & (in_ctrl == CtrlNormal);

  logic cell_pending, credit_pending, streams_rst_n;

  assign streams_rst_n = rst_ni & up_i;
  assign pending_o     = cell_pending | credit_pending;
  assign intact_o      = intact;

  xt_retry_rx #(
    .SeqBits(CellSeqBits)
  ) i_cells_rx (
    .clk_i,
    .rst_ni   (streams_rst_n),
    .item_i   (normal & in_cell_valid),
    .seq_i    (in_cell_seq),
    .error_i  (broken),
    .deliver_o(take_cell),
    .ack_o    (cell_ack_o),
    .nack_o   (cell_nack_o),
    .pending_o(cell_pending),
    .sent_i
  );

  xt_retry_rx #(
    .SeqBits(CreditSeqBits)
  ) i_credits_rx (
    .clk_i,
    .rst_ni   (streams_rst_n),
    .item_i   (normal & in_credit_valid),
    .seq_i    (in_credit_seq),
    .error_i  (broken),
    .deliver_o(take_credit),
    .ack_o    (credit_ack_o),
    .nack_o   (credit_nack_o),
    .pending_o(credit_pending),
    .sent_i
  );

  // ---------------------------------------------------------------- to the switch; events, cycle 0
  logic               in_packet_q, in_completion_q, complete;
  logic [LenBits-1:0] in_left_q, in_len;

  assign in_len     = in_cell[HdrLenLsb+:LenBits];
  assign complete   = ~up_i & in_packet_q;
  assign complete_o = complete;
  assign active_o   = link_valid_i | rx_valid_q | normal_event_o | heard_event_o | train_event_o | down_event_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rx_valid_o        <= 1'b0;
      rx_credit_valid_o <= 1'b0;
      in_packet_q       <= 1'b0;
      in_completion_q   <= 1'b0;
      ack_valid_o       <= 1'b0;
      train_event_o     <= 1'b0;
      heard_event_o     <= 1'b0;
      answer_o          <= 1'b0;
      down_event_o      <= 1'b0;
      normal_event_o    <= 1'b0;
      crc_error_o       <= 1'b0;
      cut_o             <= 1'b0;
    end else begin
      rx_valid_o        <= take_cell | complete;
      rx_credit_valid_o <= take_credit;
      in_completion_q   <= complete;
      if (take_cell) in_packet_q <= in_packet_q ? (in_left_q != LenBits'(1)) : (in_len != '0);
      else if (complete) in_packet_q <= in_left_q != LenBits'(1);
      ack_valid_o    <= normal;
      train_event_o  <= intact & (in_ctrl == CtrlTrain);
      heard_event_o  <= intact & (in_ctrl == CtrlHeard);
      answer_o       <= up_i & ((intact & (in_ctrl == CtrlHeard) & ~in_cell_nack) | (answer_o & ~slot_i));
      down_event_o   <= intact & (in_ctrl == CtrlDown);
      normal_event_o <= intact & (in_ctrl == CtrlNormal);
      crc_error_o    <= broken;
      cut_o          <= complete & ~in_completion_q;
    end
    if (take_cell) in_left_q <= in_packet_q ? in_left_q - 1'b1 : in_len;
    else if (complete) in_left_q <= in_left_q - 1'b1;
    if (take_cell) rx_vc_o <= in_vc;
    // As a reset of the register, not a gate per bit. The register loads in every cycle, because the enable arrives late.
    if (complete) rx_cell_o <= '0;
    else rx_cell_o <= in_cell;
    if (take_cell | complete) rx_poison_o <= in_poison | ~take_cell;
    rx_credit_vc_o <= in_credit_vc;
    if (normal) begin
      cell_ack_came_o    <= in_cell_ack;
      cell_nack_came_o   <= in_cell_nack;
      credit_ack_came_o  <= in_credit_ack;
      credit_nack_came_o <= in_credit_nack;
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      link_cell_is_held : assert (!(complete && take_cell));
    end
  end
`endif

endmodule

`default_nettype wire
