// SPDX-License-Identifier: Apache-2.0
//
// A board in four states, every register and memory unknown before reset: bridge, board registers, traffic generator and
// one card. The bench gives the board the bytes of a host and prints those of the board; it fails if one is unknown.
//   +host=FILE   bytes of the host in hexadecimal; 100: wait until the board is silent
//   +length=N    their number
`timescale 1ns / 1ps
`default_nettype none

module four_state_board;

  localparam int Links = xt_pkg::LinkPorts;
  localparam int Most = 8192;
  localparam int Silence = 150;

  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  logic rx_valid = 1'b0, rx_ready, tx_valid, tx_ready = 1'b0, idle;
  logic [7:0] rx_byte, tx_byte, phase;  // unknown until a byte is offered
  logic [Links-1:0] link_valid, test, loop;
  logic [Links*xt_pkg::FrameBits-1:0] link_frame;

  xt_board #(
    .Cards   (1),
    .ClockKhz(50000),
    .Pins    ({Links{1'b1}})
  ) i_board (
    .clk_i       (clk),
    .rst_ni      (rst_n),
    .serial_i    (64'h1122334455667788),
    .restart_i   (1'b0),
    .rx_valid_i  (rx_valid),
    .rx_ready_o  (rx_ready),
    .rx_byte_i   (rx_byte),
    .tx_valid_o  (tx_valid),
    .tx_ready_i  (tx_ready),
    .tx_byte_o   (tx_byte),
    .link_valid_i({Links{1'b0}}),
    .link_frame_i({Links * xt_pkg::FrameBits{1'bx}}),
    .link_valid_o(link_valid),
    .link_frame_o(link_frame),
    .test_o      (test),
    .loop_o      (loop),
    .locked_i    ({Links{1'b1}}),
    .up_i        ({Links{1'b1}}),
    .idle_word_i ({Links{1'b0}}),
    .wrong_i     ({8 * Links{1'bx}}),
    .phase_o     (phase),
    .phase_i     (16'h6000),
    .idle_o      (idle)
  );

  logic [8:0] host [Most];
  int length, silent = 0;
  string file;

  task automatic fail(input integer reason);
    $display("FAIL %0d at %0t", reason, $time);
    $finish;
  endtask

  always @(negedge clk) if (rst_n && $time > 200) begin
    if (^{rx_ready, tx_valid, link_valid, test, loop, phase, idle} === 1'bx) fail(1);
    silent = silent + 1;
    if (tx_valid && tx_ready) begin
      silent = 0;
      $display("%h", tx_byte);
      if (^tx_byte === 1'bx) fail(2);
    end
  end
  // The host takes no byte in one cycle of eight.
  always @(posedge clk) #1 tx_ready = $time % 80 > 10;

  initial begin
    if (!$value$plusargs("host=%s", file) || !$value$plusargs("length=%d", length)) fail(3);
    $readmemh(file, host, 0, length - 1);
    repeat (20) @(posedge clk);
    #1 rst_n = 1'b1;
    for (int b = 0; b < length; b++) begin
      if (host[b][8]) begin
        silent = 0;
        while (silent < Silence) @(posedge clk);
      end else begin
        #1 rx_valid = 1'b1; rx_byte = host[b][7:0];
        @(negedge clk) while (!rx_ready) @(negedge clk);
        @(posedge clk) #1 rx_valid = 1'b0; rx_byte = 8'bx;
      end
    end
    $display("PASS");
    $finish;
  end

endmodule

`default_nettype wire
