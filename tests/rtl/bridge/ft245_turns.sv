// SPDX-License-Identifier: Apache-2.0
//
// Bytes wait at both sides of the FT245 front end for ever, or by chance: how long each side waits, against the bound that
// the head of xt_ft245 states.
`default_nettype none

module ft245_turns;

  localparam int Burst = 64, Bound = Burst + 5, Cycles = 20000;

  logic clk = 1'b0, rst_n = 1'b0, rxf_n = 1'b0, txe_n = 1'b0, rx_ready = 1'b1, tx_valid = 1'b1;
  logic rd_n, wr_n, oe_n, siwu_n, data_oe, rx_valid, tx_ready;
  logic [7:0] data_o, rx_byte;
  int read_wait = 0, write_wait = 0, errors = 0, reads = 0, writes = 0;

  always #1 clk = !clk;

  xt_ft245 #(
    .Burst(Burst)
  ) dut (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .rxf_ni    (rxf_n),
    .txe_ni    (txe_n),
    .rd_no     (rd_n),
    .wr_no     (wr_n),
    .oe_no     (oe_n),
    .siwu_no   (siwu_n),
    .data_i    (8'h5a),
    .data_o    (data_o),
    .data_oe_o (data_oe),
    .rx_valid_o(rx_valid),
    .rx_ready_i(rx_ready),
    .rx_byte_o (rx_byte),
    .tx_valid_i(tx_valid),
    .tx_ready_o(tx_ready),
    .tx_byte_i (8'ha5)
  );

  initial begin
    @(posedge clk) rst_n <= 1'b1;
    for (int i = 0; i < 4 * Cycles; i++) begin
      @(negedge clk);
      read_wait  = (rxf_n || !rx_ready || rx_valid) ? 0 : read_wait + 1;
      write_wait = (txe_n || !tx_valid || tx_ready) ? 0 : write_wait + 1;
      reads      += int'(rx_valid);
      writes     += int'(tx_ready);
      errors     += int'(read_wait > Bound) + int'(write_wait > Bound) + int'(!oe_n && data_oe);
      @(posedge clk);
      if (i > Cycles) begin
        // A side that waits stays, as the chip's and the bridge's do.
        if (rxf_n || rx_valid) rxf_n <= $urandom_range(0, 99) < (i / Cycles) * 20;
        if (!tx_valid || tx_ready) tx_valid <= $urandom_range(0, 99) >= (i / Cycles) * 20;
      end
    end
    if (reads < Cycles / 4 || writes < Cycles / 4) errors++;
    $display("%0d reads, %0d writes, errors %0d", reads, writes, errors);
    $finish;
  end

endmodule

`default_nettype wire
