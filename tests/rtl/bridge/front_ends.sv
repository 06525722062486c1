// SPDX-License-Identifier: Apache-2.0
//
// The front ends of the bridge by Icarus Verilog. Bytes go through two FIFOs of different clocks, two UARTs
// whose clocks differ by 2 %, and an FT245 with a model of the chip. Each stream must come out as it went in.
`default_nettype none
`timescale 1ns / 1ps

module front_ends;
  localparam int Count = 2000;

  int errors = 0;
  logic rst_n = 1'b0;
  initial #200 rst_n = 1'b1;

  function automatic logic [7:0] value(input int i);
    value = 8'((i * 167) ^ (i >> 5));
  endfunction

  // ---------------------------------------------------------------- FIFO
  logic a = 1'b0, b = 1'b0;
  always #8.333 a = ~a;
  always #5.077 b = ~b;

  int put = 0, got = 0;
  logic put_valid = 1'b0, put_ready, got_valid, got_ready = 1'b0;
  logic [7:0] put_byte, got_byte;
  assign put_byte = value(put);

  xt_async_fifo #(.Width(8), .Depth(8)) i_fifo (
    .write_clk_i(a), .write_rst_ni(rst_n), .valid_i(put_valid), .ready_o(put_ready), .word_i(put_byte),
    .read_clk_i(b), .read_rst_ni(rst_n), .valid_o(got_valid), .ready_i(got_ready), .word_o(got_byte)
  );

  always @(posedge a) begin
    if (rst_n && put_valid && put_ready) put <= put + 1;
    put_valid <= #1 rst_n && (put < Count / 2 ? 1'b1 : $random);
  end
  always @(posedge b) begin
    if (rst_n && got_valid && got_ready) begin
      if (got_byte !== value(got)) errors = errors + 1;
      got <= got + 1;
    end
    got_ready <= #1 (got < Count / 4) ? $random : 1'b1;
  end

  // ---------------------------------------------------------------- UART
  logic u = 1'b0, v = 1'b0;
  always #8.333 u = ~u;
  always #8.503 v = ~v;

  int said = 0, heard = 0;
  logic line, unused_line, said_ready, heard_valid, unused_ready, unused_valid;
  logic [7:0] heard_byte, unused_byte;

  xt_uart #(.BitCycles(16)) i_speaker (
    .clk_i(u), .rst_ni(rst_n), .rx_i(1'b1), .tx_o(line), .rx_valid_o(unused_valid), .rx_ready_i(1'b1),
    .rx_byte_o(unused_byte), .tx_valid_i(rst_n), .tx_ready_o(said_ready), .tx_byte_i(value(said))
  );
  xt_uart #(.BitCycles(16)) i_hearer (
    .clk_i(v), .rst_ni(rst_n), .rx_i(line), .tx_o(unused_line), .rx_valid_o(heard_valid), .rx_ready_i(1'b1),
    .rx_byte_o(heard_byte), .tx_valid_i(1'b0), .tx_ready_o(unused_ready), .tx_byte_i(8'h00)
  );
  always @(posedge u) if (rst_n && said_ready) said <= said + 1;
  always @(posedge v) begin
    if (rst_n && heard_valid) begin
      if (heard_byte !== value(heard)) errors = errors + 1;
      heard <= heard + 1;
    end
  end

  // ---------------------------------------------------------------- FT245
  // The chip: its outputs change 7 ns after the clock, RXF# and TXE# come and go as it likes. It drives the data while OE#
  // is 0; a byte is gone with RD# and RXF# 0 at an edge of the clock, and one has come with WR# and TXE# 0.
  int chip_out = 0, chip_in = 0, board_out = 0, board_in = 0, cycles = 0, quick = 0;
  logic rxf_n = 1'b1, txe_n = 1'b1, rd_n, wr_n, oe_n, siwu_n, data_oe, rx_valid, rx_ready = 1'b1, tx_valid = 1'b0, tx_ready;
  logic [7:0] chip_data, board_data, bus, rx_byte;
  logic oe_was_n = 1'b1, drove = 1'b0;

  assign bus = data_oe ? board_data : (!oe_n ? chip_data : 8'hxx);
  initial chip_data = value(0);
  always @(chip_out) chip_data = #7 value(chip_out);

  xt_ft245 i_ft245 (
    .clk_i(a), .rst_ni(rst_n), .rxf_ni(rxf_n), .txe_ni(txe_n), .rd_no(rd_n), .wr_no(wr_n), .oe_no(oe_n), .siwu_no(siwu_n),
    .data_i(bus), .data_o(board_data), .data_oe_o(data_oe), .rx_valid_o(rx_valid), .rx_ready_i(rx_ready),
    .rx_byte_o(rx_byte), .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_byte_i(value(board_out))
  );

  always @(posedge a) begin
    if (rst_n) begin
      cycles <= cycles + 1;
      if (data_oe && !oe_n) errors = errors + 1;  // both drive
      if (!rd_n && oe_was_n) errors = errors + 1;  // OE# has to be there a cycle before
      oe_was_n <= oe_n;
      if (!rd_n && !rxf_n) chip_out <= chip_out + 1;
      if (!wr_n && !txe_n) begin
        if (bus !== value(chip_in)) errors = errors + 1;
        chip_in <= chip_in + 1;
      end
      if (rx_valid && rx_ready) begin
        if (rx_byte !== value(board_in)) errors = errors + 1;
        board_in <= board_in + 1;
      end
      if (tx_valid && tx_ready) board_out <= board_out + 1;
      if (cycles == 1000) quick <= board_in;
    end
    // For the first 1,000 cycles bytes only come, without a gap.
    rxf_n    <= #7 !rst_n || (cycles > 1000 && $random % 3 == 0);
    txe_n    <= #7 cycles < 1000 || $random % 3 == 0;
    rx_ready <= #1 cycles < 1000 || $random % 4 != 0;
    tx_valid <= #1 rst_n && (tx_valid && !tx_ready || $random % 2 == 0);
  end

  initial begin
    #600000;
    if (got < Count) errors = errors + 1;
    if (heard < 200 || said - heard > 2) errors = errors + 1;
    if (board_in != chip_out || chip_in != board_out || chip_in < 500 || quick < 990) errors = errors + 1;
    $display("fifo %0d uart %0d ft245 in %0d out %0d quick %0d errors %0d", got, heard, board_in, chip_in, quick, errors);
    $finish;
  end
endmodule

`default_nettype wire
