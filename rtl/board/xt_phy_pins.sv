// SPDX-License-Identifier: Apache-2.0
//
// Pins of a link, by the DDR cells of an FPGA's family: two bits a cycle and lane, and a clock whose edges are in the
// middle of the bits. Bit 2 l of a cycle goes over lane l while the clock is low before its rising edge, bit 2 l + 1 before
// the falling one.
//
// Between two boards the clock is shifted by the sender (clk90_i); the receiver samples at the edges as they come.
// A receiver may find bits 2 l + 1 a cycle apart from bits 2 l, which xt_phy_rx evens out.
`default_nettype none

module xt_phy_pins #(
  /// Lanes of wire.
  parameter int Lanes = 4
) (
  /// Clock.
  input  logic               clk_i,
  /// The same, a quarter later.
  input  logic               clk90_i,
  /// Two bits for each lane.
  input  logic [2*Lanes-1:0] data_i,
  /// Clock of the link.
  output logic               clk_o,
  /// Two bits of each lane.
  output logic [2*Lanes-1:0] data_o,

  /// Pins to the other end: clock.
  output logic               pin_clk_o,
  /// Pins to the other end: lanes.
  output logic [  Lanes-1:0] pin_data_o,
  /// Pins from the other end: clock.
  input  logic               pin_clk_i,
  /// Pins from the other end: lanes.
  input  logic [  Lanes-1:0] pin_data_i
);

  assign clk_o = pin_clk_i;

`ifdef XT_SIMULATION
  assign pin_clk_o = clk90_i;
  logic [2*Lanes-1:0] data_q;
  logic [Lanes-1:0] rise_q, fall_q;
  always_ff @(posedge clk_i) data_q <= data_i;
  always_ff @(posedge pin_clk_i) begin
    rise_q <= pin_data_i;
    for (int l = 0; l < Lanes; l++) begin
      data_o[2*l]   <= rise_q[l];
      data_o[2*l+1] <= fall_q[l];
    end
  end
  always_ff @(negedge pin_clk_i) fall_q <= pin_data_i;
  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    assign pin_data_o[l] = clk_i ? data_q[2*l] : data_q[2*l+1];
  end
`else
  xt_ddr_out i_clk (
    .clk_i (clk90_i),
    .rise_i(1'b1),
    .fall_i(1'b0),
    .pin_o (pin_clk_o)
  );
  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    xt_ddr_out i_out (
      .clk_i,
      .rise_i(data_i[2*l]),
      .fall_i(data_i[2*l+1]),
      .pin_o (pin_data_o[l])
    );
    xt_ddr_in i_in (
      .clk_i (pin_clk_i),
      .pin_i (pin_data_i[l]),
      .rise_o(data_o[2*l]),
      .fall_o(data_o[2*l+1])
    );
  end
`endif

endmodule

`default_nettype wire
