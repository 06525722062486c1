// SPDX-License-Identifier: Apache-2.0
//
// Pins of a link, by DDR cells: two bits in each cycle and lane. The edges of the pin clock lie in the middle of the
// bits. Lane l carries bit 2 l before the rising edge of the pin clock, and bit 2 l + 1 before the falling edge.
//
// The sender shifts the pin clock (clk90_i). The receiver samples at the edges as they come. Its bits 2 l + 1 may be a
// cycle apart from its bits 2 l; xt_phy_rx corrects this skew.
`default_nettype none

module xt_phy_pins #(
  /// Data lanes of the link.
  parameter int Lanes = 4,
  /// DDR cells. 0: those of an ECP5; 1: those of a Xilinx 7-series device.
  parameter int Xilinx7 = 0
) (
  /// Clock.
  input  logic               clk_i,
  /// The same clock, a quarter of a period later.
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
  // verilator lint_off UNUSEDSIGNAL
  wire unused = Xilinx7 != 0;
  // verilator lint_on UNUSEDSIGNAL
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
  if (Xilinx7 != 0) begin : g_xilinx7
    xt_ddr_out_xilinx7 i_clk (
      .clk_i (clk90_i),
      .rise_i(1'b1),
      .fall_i(1'b0),
      .pin_o (pin_clk_o)
    );
    for (genvar l = 0; l < Lanes; l++) begin : g_lane
      xt_ddr_out_xilinx7 i_out (
        .clk_i,
        .rise_i(data_i[2*l]),
        .fall_i(data_i[2*l+1]),
        .pin_o (pin_data_o[l])
      );
      xt_ddr_in_xilinx7 i_in (
        .clk_i (pin_clk_i),
        .pin_i (pin_data_i[l]),
        .rise_o(data_o[2*l]),
        .fall_o(data_o[2*l+1])
      );
    end
  end else begin : g_ecp5
    xt_ddr_out_ecp5 i_clk (
      .clk_i (clk90_i),
      .rise_i(1'b1),
      .fall_i(1'b0),
      .pin_o (pin_clk_o)
    );
    for (genvar l = 0; l < Lanes; l++) begin : g_lane
      xt_ddr_out_ecp5 i_out (
        .clk_i,
        .rise_i(data_i[2*l]),
        .fall_i(data_i[2*l+1]),
        .pin_o (pin_data_o[l])
      );
      xt_ddr_in_ecp5 i_in (
        .clk_i (pin_clk_i),
        .pin_i (pin_data_i[l]),
        .rise_o(data_o[2*l]),
        .fall_o(data_o[2*l+1])
      );
    end
  end
`endif

endmodule

`default_nettype wire
