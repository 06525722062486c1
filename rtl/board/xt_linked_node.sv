// SPDX-License-Identifier: Apache-2.0
//
// A twin node with links at the pins of an FPGA whose family has xt_phy_pins: link 0 and 1 are those of dimension 0 (card 0,
// ports 0 and 1), 2 and 3 those of dimension 1 (card 0, port 2, and card 1, port 0), so that boards make a ring or a plane.
//
// Only a link layer makes good what wires do to frames: without it the pins say nothing.
`default_nettype none

module xt_linked_node #(
  /// Serial number of the board.
  parameter int Serial = 1,
  /// Clock of the cards in kHz.
  parameter int ClockKhz = 40000,
  /// Cycles of a bit of the UART.
  parameter int BitCycles = ClockKhz / 1000,
  /// 1: another front end beside the UART.
  parameter int Second = 0,
  /// Links at pins, 1 to 4, the first of them.
  parameter int Links = 4,
  /// Lanes of wire of a link, each way, beside its clock.
  parameter int Wires = 4
) (
  /// Clock.
  input  logic                   clk_i,
  /// The same, a quarter later.
  input  logic                   clk90_i,
  /// The clock runs and no button resets the board; asynchronous.
  input  logic                   run_i,

  /// UART from the host.
  input  logic                   uart_rx_i,
  /// UART to the host.
  output logic                   uart_tx_o,

  /// Reset of the node, active low, synchronous; for the second front end.
  output logic                   rst_no,
  /// Second front end: its host has begun anew.
  input  logic                   restart_i,
  /// Second front end: a byte from the host.
  input  logic                   rx_valid_i,
  /// Second front end: it is taken.
  output logic                   rx_ready_o,
  /// Second front end: the byte.
  input  logic [            7:0] rx_byte_i,
  /// Second front end: a byte to the host.
  output logic                   tx_valid_o,
  /// Second front end: it is taken.
  input  logic                   tx_ready_i,
  /// Second front end: the byte.
  output logic [            7:0] tx_byte_o,

  /// Links: clock to the other end.
  output logic [      Links-1:0] pin_clk_o,
  /// Links: lanes to the other end.
  output logic [Wires*Links-1:0] pin_data_o,
  /// Links: clock from the other end.
  input  logic [      Links-1:0] pin_clk_i,
  /// Links: lanes from the other end.
  input  logic [Wires*Links-1:0] pin_data_i,
  /// Links: both ends receive.
  output logic [      Links-1:0] up_o,

  /// As xt_node has them.
  output logic [            3:0] lights_o
);

  localparam int Lanes = 2 * Wires;
  localparam int Ports = 2 * xt_pkg::LinkPorts;
  localparam logic [Ports-1:0] AtPins = (xt_pkg::HasLinkLayer == 0) ? '0
      : Ports'(((1 << ((Links < 3) ? Links : 3)) - 1) | ((Links > 3) ? (1 << xt_pkg::LinkPorts) : 0));

  logic [Ports*Lanes-1:0] to_pins, from_pins;
  logic [Ports-1:0] link_clk, up;

  if (Links < 1 || Links > 4) begin : g_illegal
    xt_plane_node_has_one_to_four_links_at_pins i_illegal ();
  end

  xt_node #(
    .Cards    (2),
    .ClockKhz (ClockKhz),
    .BitCycles(BitCycles),
    .Serial   (Serial),
    .Second   (Second),
    .Pins     (AtPins),
    .Lanes    (Lanes)
  ) i_node (
    .clk_i,
    .run_i,
    .uart_rx_i,
    .uart_tx_o,
    .rst_no,
    .restart_i,
    .rx_valid_i,
    .rx_ready_o,
    .rx_byte_i,
    .tx_valid_o,
    .tx_ready_i,
    .tx_byte_o,
    .link_data_o(to_pins),
    .link_clk_i (link_clk),
    .link_data_i(from_pins),
    .link_up_o  (up),
    .lights_o
  );

  for (genvar p = 0; p < Ports; p++) begin : g_port
    localparam int L = (p == xt_pkg::LinkPorts) ? 3 : (p < 3) ? p : 4;  // its link
    if (L < Links) begin : g_pins
      xt_phy_pins #(
        .Lanes(Wires)
      ) i_pins (
        .clk_i,
        .clk90_i,
        .data_i    (to_pins[Lanes*p+:Lanes]),
        .clk_o     (link_clk[p]),
        .data_o    (from_pins[Lanes*p+:Lanes]),
        .pin_clk_o (pin_clk_o[L]),
        .pin_data_o(pin_data_o[Wires*L+:Wires]),
        .pin_clk_i (pin_clk_i[L]),
        .pin_data_i(pin_data_i[Wires*L+:Wires])
      );
      assign up_o[L] = up[p];
    end else begin : g_open
      assign link_clk[p]               = 1'b0;
      assign from_pins[Lanes*p+:Lanes] = '0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ^{to_pins[Lanes*p+:Lanes], up[p]};
      // verilator lint_on UNUSEDSIGNAL
    end
  end

endmodule

`default_nettype wire
