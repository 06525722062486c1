// SPDX-License-Identifier: Apache-2.0
//
// Link port without a link layer, for links that make no errors: cells and credits pass unchanged. The
// frame, least significant field first: CellValid Vc Cell CreditValid CreditVc. The frame has no poison bit: without
// errors a link cuts no packet.
//
// Latency: none on the way out, because the switch's output is a register, and none for received credits. A received
// cell takes as many cycles as the route lookup by lookahead_*: 2 as in xt_link, or 1.
// Speed: wires and registers.
`default_nettype none

module xt_plain_link #(
  /// Bits of a VC number.
  parameter int VcBits = 1,
  /// Bits of a cell.
  parameter int CellBits = 32,
  /// Bits of a PE address.
  parameter int IdBits = 8,
  /// Packet header: destination.
  parameter int DestLsb = 0,
  /// Cycles from lookahead_* to rx_*: 1 or 2.
  parameter int LookupCycles = 2,
  /// Bits of a frame, as the other end counts them.
  parameter int FrameBits = 2 * VcBits + CellBits + 2
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

  /// From the switch's output register: a cell.
  input  logic                 tx_valid_i,
  /// VC of the cell.
  input  logic [   VcBits-1:0] tx_vc_i,
  /// The cell.
  input  logic [ CellBits-1:0] tx_cell_i,
  /// From the switch, a register: a cell of the input buffer was freed.
  input  logic                 tx_credit_valid_i,
  /// The VC that the cell had come on.
  input  logic [   VcBits-1:0] tx_credit_vc_i,

  /// To the switch: a cell.
  output logic                 rx_valid_o,
  /// VC of the cell.
  output logic [   VcBits-1:0] rx_vc_o,
  /// The cell.
  output logic [ CellBits-1:0] rx_cell_o,
  /// To the switch: a cell was freed at the other end. Straight from the pins.
  output logic                 rx_credit_valid_o,
  /// The VC of that cell.
  output logic [   VcBits-1:0] rx_credit_vc_o,

  /// A cell comes out by rx_* after the lookup; straight from the pins.
  output logic                 lookahead_valid_o,
  /// VC of the cell, straight from the pins.
  output logic [   VcBits-1:0] lookahead_vc_o,
  /// Destination in that cell, if the cell is a header.
  output logic [   IdBits-1:0] lookahead_dest_o,

  /// Something is in flight.
  output logic                 active_o
);

  if (FrameBits != 2 * VcBits + CellBits + 2) begin : g_illegal
    xt_plain_link_frame_bits_are_not_the_sum_of_the_fields i_illegal ();
  end

  if (LookupCycles != 1 && LookupCycles != 2) begin : g_illegal_lookup
    xt_plain_link_lookup_takes_1_or_2_cycles i_illegal ();
  end

  logic                in_valid, in_credit, valid;
  logic [  VcBits-1:0] in_vc, in_credit_vc, vc;
  logic [CellBits-1:0] in_cell, arriving;

  assign link_valid_o = tx_valid_i | tx_credit_valid_i;
  assign link_frame_o = {tx_credit_vc_i, tx_credit_valid_i, tx_cell_i, tx_vc_i, tx_valid_i};

  assign {in_credit_vc, in_credit, in_cell, in_vc, in_valid} = link_frame_i;

  assign rx_credit_valid_o = link_valid_i & in_credit;
  assign rx_credit_vc_o    = in_credit_vc;
  assign lookahead_valid_o = link_valid_i & in_valid;
  assign lookahead_vc_o    = in_vc;
  assign lookahead_dest_o  = in_cell[DestLsb+:IdBits];

  // The cell, a cycle before it goes to the switch.
  if (LookupCycles == 2) begin : g_two_cycles
    logic                valid_q;
    logic [  VcBits-1:0] vc_q;
    logic [CellBits-1:0] cell_q;

    always_ff @(posedge clk_i) begin
      valid_q <= rst_ni & link_valid_i & in_valid;
      if (link_valid_i && in_valid) begin
        vc_q   <= in_vc;
        cell_q <= in_cell;
      end
    end
    assign valid    = valid_q;
    assign vc       = vc_q;
    assign arriving = cell_q;
  end else begin : g_one_cycle
    assign valid    = link_valid_i & in_valid;
    assign vc       = in_vc;
    assign arriving = in_cell;
  end

  always_ff @(posedge clk_i) begin
    rx_valid_o <= rst_ni & valid;
    if (valid) begin
      rx_vc_o   <= vc;
      rx_cell_o <= arriving;
    end
  end

  assign active_o = link_valid_i | valid | rx_valid_o | tx_valid_i | tx_credit_valid_i;

endmodule

`default_nettype wire
