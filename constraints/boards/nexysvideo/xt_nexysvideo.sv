// SPDX-License-Identifier: Apache-2.0
//
// Nexys Video: a twin node behind the synchronous FIFO of the FT2232H and the UART. Links 0 and 1 are at the PMODs JA and JB.
`default_nettype none

module xt_nexysvideo #(
  /// Serial number of the board.
  parameter int Serial = 1
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

  /// 0 to 3: lights of xt_node; 4, 5: links 0 and 1 receive at both ends; 6, 7: not used.
  output logic [7:0] led
);

  logic [1:0] unused_phase;
  logic clk, clk90, locked, data_oe, unused_rst_n;
  logic [1:0] up;
  logic [3:0] lights;
  logic [7:0] data;

  // 100 MHz * 8 / 20.
  xt_pll_xilinx7 #(
    .InKhz     (100000),
    .Multiplier(8),
    .OutDiv    (20)
  ) i_pll (
    .clk_i   (clk_100mhz),
    .clk_o   (clk),
    .clk90_o (clk90),
    .locked_o(locked)
  );

  xt_board_top #(
    .Serial  (Serial),
    .ClockKhz(40000),
    .Front   (3),
    .Links   (2),
    .Wires   (3),
    .Xilinx7 (1)
  ) i_board (
    .clk_i           (clk),
    .clk90_i         (clk90),
    .run_i           (locked & btn_n),
    .rst_no          (unused_rst_n),
    .uart_rx_i       (uart_rx),
    .uart_tx_o       (uart_tx),
    .front_clk_i     (fifo_clk),
    .front_slow_clk_i(1'b0),
    .front_control_i ({fifo_txe_n, fifo_rxf_n}),
    .front_control_o ({fifo_siwu_n, fifo_oe_n, fifo_wr_n, fifo_rd_n}),
    .front_data_i    (fifo_data),
    .front_data_o    (data),
    .front_data_oe_o (data_oe),
    .link_clk_o      (link_clk_o),
    .link_data_o     (link_data_o),
    .link_clk_i      (link_clk_i),
    .link_data_i     (link_data_i),
    .link_up_o       (up),
    .phase_steps_i   (8'd0),
    .phase_locked_i  (locked),
    .phase_step_o    (unused_phase[0]),
    .phase_back_o    (unused_phase[1]),
    .lights_o        (lights)
  );

  assign fifo_spi  = 1'b0;
  assign fifo_data = data_oe ? data : 8'hzz;
  assign led       = {2'b00, up, lights};

endmodule

`default_nettype wire
