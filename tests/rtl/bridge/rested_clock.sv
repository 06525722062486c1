// SPDX-License-Identifier: Apache-2.0
//
// xt_fifo_front is reset while the chip's clock rests. Bytes from before the reset, in either direction, are gone. Bytes
// from after the reset all come, in order, and no others.
//   +state=N  what the front end does when the clock stops: 0 nothing, 1 reads, 2 writes
`timescale 1ns / 1ps
`default_nettype none

module rested_clock;

  int errors = 0, state = 0;
  logic clk = 1'b0, fifo_clk = 1'b0, runs = 1'b1, rst_n = 1'b0;
  always #10 clk = ~clk;
  always #8.333 if (runs) fifo_clk = ~fifo_clk;

  // The chip. Its bytes have the highest bit clear before the reset, and set after the reset; the bridge's bytes too.
  logic has = 1'b0, takes = 1'b0, rd_n, wr_n, oe_n, siwu_n, oe, fresh = 1'b0;
  logic [6:0] chip_next = '0, chip_expects = '0;
  logic [7:0] chip_data, board_data;
  assign chip_data = {fresh, chip_next};
  int chip_got = 0, chip_gave = 0;
  always @(posedge fifo_clk) begin
    if (!rd_n && has) begin
      chip_next <= #1 chip_next + 1'b1;
      chip_gave <= #1 chip_gave + 1;
    end
    if (!wr_n && takes) begin
      if (fresh && board_data !== {1'b1, chip_expects}) begin
        errors = errors + 1;
        $display("the chip gets %02x", board_data);
      end
      if (fresh) chip_expects <= #1 chip_expects + 1'b1;
      chip_got <= #1 chip_got + 1;
    end
  end

  logic rx_valid, rx_ready = 1'b0, tx_valid = 1'b0, tx_ready;
  logic [7:0] rx_byte, tx_byte;
  logic [6:0] next = '0, expects = '0;
  assign tx_byte = {fresh, next};
  int got = 0;
  always @(posedge clk) if (rst_n) begin
    if (rx_valid && rx_ready) begin
      if (fresh && rx_byte !== {1'b1, expects}) begin
        errors = errors + 1;
        $display("the bridge gets %02x", rx_byte);
      end
      if (fresh) expects <= #1 expects + 1'b1;
      got <= #1 got + 1;
    end
    if (tx_valid && tx_ready) next <= #1 next + 1'b1;
  end

  xt_fifo_front i_dut (
    .fifo_clk_i(fifo_clk),
    .rxf_ni    (~has),
    .txe_ni    (~takes),
    .rd_no     (rd_n),
    .wr_no     (wr_n),
    .oe_no     (oe_n),
    .siwu_no   (siwu_n),
    .data_i    (chip_data),
    .data_o    (board_data),
    .data_oe_o (oe),
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .rx_valid_o(rx_valid),
    .rx_ready_i(rx_ready),
    .rx_byte_o (rx_byte),
    .tx_valid_i(tx_valid),
    .tx_ready_o(tx_ready),
    .tx_byte_i (tx_byte)
  );

  initial begin
    if (!$value$plusargs("state=%d", state)) state = 0;
    #200 rst_n = 1'b1;
    repeat (60) @(posedge clk);
    #1 rx_ready = 1'b1;
    tx_valid = 1'b1;
    has      = state != 2;
    takes    = state != 1;
    // Pointers in the middle, and both FIFOs hold bytes.
    repeat (75) @(posedge clk);
    #1 rx_ready = state == 1;
    if (state == 0) {has, takes} = 2'b00;
    repeat (30) @(posedge clk);
    @(negedge fifo_clk) runs = 1'b0;

    #100 rst_n = 1'b0;
    tx_valid = 1'b0;
    repeat (6) @(posedge clk);
    #1 fresh = 1'b1;
    {next, expects, chip_next, chip_expects} = '0;
    {got, chip_got} = '0;
    rst_n    = 1'b1;
    rx_ready = 1'b1;
    repeat (50) @(posedge clk);
    if (got != 0) begin
      errors = errors + 1;
      $display("the bridge gets %0d bytes without a clock", got);
    end
    tx_valid = 1'b1;
    repeat (40) @(posedge clk);
    #1 tx_valid = 1'b0;
    if (next != 7'd16) begin
      errors = errors + 1;
      $display("a FIFO of 16 bytes takes %0d", next);
    end
    repeat (50) @(posedge clk);
    {has, takes} = {state == 1, 1'b1};
    runs = 1'b1;
    repeat (100) @(posedge clk);
    #1 has = 1'b1;
    repeat (200) @(posedge clk);
    #1 has = 1'b0;
    repeat (50) @(posedge clk);
    if (got < 50 || 7'(got) != chip_next) begin
      errors = errors + 1;
      $display("the bridge gets %0d bytes of 128n + %0d", got, chip_next);
    end
    if (chip_got != 32'(next)) begin
      errors = errors + 1;
      $display("the chip gets %0d bytes of %0d", chip_got, next);
    end
    $display("errors %0d", errors);
    $finish;
  end

endmodule

`default_nettype wire
