// SPDX-License-Identifier: Apache-2.0
//
// ECPIX-5: a twin node, or one large card, behind the UART of the debugger and USB at high speed, by a ULPI PHY. Each of the
// links 0 to 5 has a PMOD, with three lanes and a clock each way.
`default_nettype none

module xt_ecpix5 #(
  /// Serial number of the board.
  parameter int Serial = 1,
  /// 1, or 2: a twin node.
  parameter int Cards = 2,
  /// Clock of the cards in kHz: 200 MHz divided.
  parameter int ClockKhz = 40000
) (
  /// Oscillator, 100 MHz.
  input  logic        clk_100mhz,
  /// Button SW0: 0 resets.
  input  logic        btn_n,
  /// UART from the host.
  input  logic        uart_rx,
  /// UART to the host.
  output logic        uart_tx,

  /// USB3300: clock, 60 MHz.
  input  logic        ulpi_clk,
  /// USB3300: it drives the data.
  input  logic        ulpi_dir,
  /// USB3300: it takes or gives a byte.
  input  logic        ulpi_nxt,
  /// USB3300: end of a packet or command to it.
  output logic        ulpi_stp,
  /// USB3300: 1 resets it.
  output logic        ulpi_rst,
  /// USB3300: data.
  inout  wire logic [7:0] ulpi_data,

  /// Links: clock to the other end.
  output logic [ 5:0] link_clk_o,
  /// Links: three lanes each to the other end.
  output logic [17:0] link_data_o,
  /// Links: clock from the other end.
  input  logic [ 5:0] link_clk_i,
  /// Links: three lanes each from the other end.
  input  logic [17:0] link_data_i,

  /// 0 to 3: lights of xt_node; 4 to 9: links 0 to 5 receive at both ends; 0 lights.
  output logic [ 9:0] led
);

  logic clk, clk90, locked, rst_n, data_oe, phase_step, phase_back;
  logic [7:0] phase_steps;
  logic [1:0] unused_clk;
  logic [2:0] unused_control;
  logic [3:0] lights;
  logic [5:0] up;
  logic [7:0] data;

  if (200000 % ClockKhz != 0) begin : g_illegal
    xt_ecpix5_has_a_clock_of_200_mhz_divided i_illegal ();
  end

  xt_pll_ecp5 #(
    .InKhz      (100000),
    .InDiv      (200000 / ClockKhz),
    .FeedbackDiv(2),
    .OutDiv     (4 * (150000 / ClockKhz)),
    .ModelSteps (16)
  ) i_pll (
    .clk_i        (clk_100mhz),
    .clk_o        (clk),
    .clk90_o      (clk90),
    .second_o     (unused_clk[0]),
    .third_o      (unused_clk[1]),
    .phase_steps_o(phase_steps),
    .phase_step_i (phase_step),
    .phase_back_i (phase_back),
    .locked_o     (locked)
  );

  xt_board_top #(
    .Serial  (Serial),
    .ClockKhz(ClockKhz),
    .Cards   (Cards),
    .Front   (2),
    .Links   (6),
    .Wires   (3)
  ) i_board (
    .clk_i           (clk),
    .clk90_i         (clk90),
    .run_i           (locked & btn_n),
    .rst_no          (rst_n),
    .uart_rx_i       (uart_rx),
    .uart_tx_o       (uart_tx),
    .front_clk_i     (ulpi_clk),
    .front_slow_clk_i(1'b0),
    .front_control_i ({ulpi_nxt, ulpi_dir}),
    .front_control_o ({unused_control, ulpi_stp}),
    .front_data_i    (ulpi_data),
    .front_data_o    (data),
    .front_data_oe_o (data_oe),
    .link_clk_o      (link_clk_o),
    .link_data_o     (link_data_o),
    .link_clk_i      (link_clk_i),
    .link_data_i     (link_data_i),
    .link_up_o       (up),
    .phase_steps_i   (phase_steps),
    .phase_locked_i  (locked),
    .phase_step_o    (phase_step),
    .phase_back_o    (phase_back),
    .lights_o        (lights)
  );

  assign ulpi_rst  = !rst_n;
  assign ulpi_data = data_oe ? data : 8'hzz;
  assign led       = ~{up, lights};

endmodule

`default_nettype wire
