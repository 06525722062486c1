// SPDX-License-Identifier: Apache-2.0
//
// Nexys Video: a twin node behind the synchronous FIFO of the FT2232H and the UART. Two of its six links are
// at the PMODs JA and JB. They are those of dimension 0, so that boards make a ring.
`default_nettype none

module xt_nexysvideo #(
  /// Serial number of the board.
  parameter int Serial = 1,
  /// Cycles of a bit of the UART.
  parameter int BitCycles = 40
) (
  /// Oscillator, 100 MHz.
  input  logic       clk_100mhz,
  /// Button CPU_RESETN: 0 resets.
  input  logic       btn_n,
  /// UART from the host.
  input  logic       uart_rx,
  /// UART to the host.
  output logic       uart_tx,

  /// FT2232H: clock, 60 MHz.
  input  logic       fifo_clk,
  /// FT2232H: RXF#.
  input  logic       fifo_rxf_n,
  /// FT2232H: TXE#.
  input  logic       fifo_txe_n,
  /// FT2232H: RD#.
  output logic       fifo_rd_n,
  /// FT2232H: WR#.
  output logic       fifo_wr_n,
  /// FT2232H: OE#.
  output logic       fifo_oe_n,
  /// FT2232H: SIWU#.
  output logic       fifo_siwu_n,
  /// FT2232H: 0, the pins are those of the FIFO.
  output logic       fifo_spi,
  /// FT2232H: data.
  inout  wire logic [7:0] fifo_data,

  /// Links: clock to the other end.
  output logic [1:0] link_clk_o,
  /// Links: three lanes each to the other end.
  output logic [5:0] link_data_o,
  /// Links: clock from the other end.
  input  logic [1:0] link_clk_i,
  /// Links: three lanes each from the other end.
  input  logic [5:0] link_data_i,

  /// 0 to 3: as xt_node has them; 4, 5: links 0 and 1 receive at both ends; 6, 7: not used.
  output logic [7:0] led
);

  logic clk, clk90, locked, rst_n;
  logic rx_valid, rx_ready, tx_valid, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic [7:0] data;
  logic data_oe;
  logic [1:0] up;
  logic [3:0] lights;

  // 100 MHz * 8 / 20.
  xt_pll #(
    .InKhz     (100000),
    .Multiplier(8),
    .OutDiv    (20)
  ) i_pll (
    .clk_i   (clk_100mhz),
    .clk_o   (clk),
    .clk90_o (clk90),
    .locked_o(locked)
  );

  xt_linked_node #(
    .Serial   (Serial),
    .BitCycles(BitCycles),
    .Second   (1),
    .Links    (2),
    .Wires    (3)
  ) i_node (
    .clk_i     (clk),
    .clk90_i   (clk90),
    .run_i     (locked & btn_n),
    .uart_rx_i (uart_rx),
    .uart_tx_o (uart_tx),
    .rst_no    (rst_n),
    .restart_i (1'b0),
    .rx_valid_i(rx_valid),
    .rx_ready_o(rx_ready),
    .rx_byte_i (rx_byte),
    .tx_valid_o(tx_valid),
    .tx_ready_i(tx_ready),
    .tx_byte_o (tx_byte),
    .pin_clk_o (link_clk_o),
    .pin_data_o(link_data_o),
    .pin_clk_i (link_clk_i),
    .pin_data_i(link_data_i),
    .up_o      (up),
    .lights_o  (lights)
  );

  assign fifo_spi  = 1'b0;
  assign fifo_data = data_oe ? data : 8'hzz;

  xt_fifo_front i_fifo (
    .fifo_clk_i(fifo_clk),
    .rxf_ni    (fifo_rxf_n),
    .txe_ni    (fifo_txe_n),
    .rd_no     (fifo_rd_n),
    .wr_no     (fifo_wr_n),
    .oe_no     (fifo_oe_n),
    .siwu_no   (fifo_siwu_n),
    .data_i    (fifo_data),
    .data_o    (data),
    .data_oe_o (data_oe),
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .rx_valid_o(rx_valid),
    .rx_ready_i(rx_ready),
    .rx_byte_o (rx_byte),
    .tx_valid_i(tx_valid),
    .tx_ready_o(tx_ready),
    .tx_byte_i (tx_byte)
  );

  assign led = {2'b00, up, lights};

endmodule

`default_nettype wire
