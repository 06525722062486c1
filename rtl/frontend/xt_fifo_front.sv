// SPDX-License-Identifier: Apache-2.0
//
// Front end: the bridge's bytes over the synchronous FIFO of an FT2232H or FT232H. The pins use the chip's clock, and an
// asynchronous FIFO in each direction leads to the bridge's clock. The chip's clock may rest until a host opens the chip,
// and in a reset: the reset empties both FIFOs at once. It ends on the chip's side 18 cycles after the clock is back.
//
// Latency: that of xt_async_fifo in each direction, and that of xt_ft245.
// Speed: xt_ft245 at the pins.
`default_nettype none

// A simulation may define a stand-in's name (sim/standins).
`ifndef XT_FT245
`define XT_FT245 xt_ft245
`endif

module xt_fifo_front (
  /// Chip: clock, 60 MHz.
  input  logic       fifo_clk_i,
  /// Chip: RXF#.
  input  logic       rxf_ni,
  /// Chip: TXE#.
  input  logic       txe_ni,
  /// Chip: RD#.
  output logic       rd_no,
  /// Chip: WR#.
  output logic       wr_no,
  /// Chip: OE#.
  output logic       oe_no,
  /// Chip: SIWU#.
  output logic       siwu_no,
  /// Chip: data in.
  input  logic [7:0] data_i,
  /// Chip: data out.
  output logic [7:0] data_o,
  /// Chip: drive the data.
  output logic       data_oe_o,

  /// Clock of the bridge.
  input  logic       clk_i,
  /// Reset of this clock, active low, synchronous.
  input  logic       rst_ni,
  /// A byte from the host.
  output logic       rx_valid_o,
  /// The bridge can take a byte.
  input  logic       rx_ready_i,
  /// The byte.
  output logic [7:0] rx_byte_o,
  /// A byte to the host.
  input  logic       tx_valid_i,
  /// The byte to send is taken.
  output logic       tx_ready_o,
  /// The byte.
  input  logic [7:0] tx_byte_i
);

  logic rst_n, in_valid, in_ready, out_valid, out_ready;
  logic [7:0] in_byte, out_byte;

  xt_board_reset #(
    .Cycles(16)
  ) i_reset (
    .clk_i (fifo_clk_i),
    .run_i (rst_ni),
    .rst_no(rst_n)
  );

  `XT_FT245 i_ft245 (
    .clk_i     (fifo_clk_i),
    .rst_ni    (rst_n),
    .rxf_ni,
    .txe_ni,
    .rd_no,
    .wr_no,
    .oe_no,
    .siwu_no,
    .data_i,
    .data_o,
    .data_oe_o,
    .rx_valid_o(in_valid),
    .rx_ready_i(in_ready),
    .rx_byte_o (in_byte),
    .tx_valid_i(out_valid),
    .tx_ready_o(out_ready),
    .tx_byte_i (out_byte)
  );

  xt_async_fifo #(
    .Width(8),
    .Depth(16)
  ) i_from_host (
    .write_clk_i (fifo_clk_i),
    .write_rst_ni(rst_n),
    .valid_i     (in_valid),
    .ready_o     (in_ready),
    .word_i      (in_byte),
    .read_clk_i  (clk_i),
    .read_rst_ni (rst_ni),
    .valid_o     (rx_valid_o),
    .ready_i     (rx_ready_i),
    .word_o      (rx_byte_o)
  );

  xt_async_fifo #(
    .Width(8),
    .Depth(16)
  ) i_to_host (
    .write_clk_i (clk_i),
    .write_rst_ni(rst_ni),
    .valid_i     (tx_valid_i),
    .ready_o     (tx_ready_o),
    .word_i      (tx_byte_i),
    .read_clk_i  (fifo_clk_i),
    .read_rst_ni (rst_n),
    .valid_o     (out_valid),
    .ready_i     (out_ready),
    .word_o      (out_byte)
  );

endmodule

`default_nettype wire
