// SPDX-License-Identifier: Apache-2.0
//
// xt_registers: of a read and writes, or of a write and reads, that wait together, at most one of the others goes
// first. The master keeps an address until it is taken. All other inputs are free.
`default_nettype none

module register_bus_proof (
  input logic                              clk_i,
  input logic                              aw_i,
  input logic                              ar_i,
  input logic                              bready_i,
  input logic                              rready_i,
  input logic                              counter_i,
  input logic [xt_pkg::RegAddressBits-1:0] awaddr_i,
  input logic [xt_pkg::RegAddressBits-1:0] araddr_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic awvalid, arvalid, awready, wready, arready, bvalid, rvalid;
  logic aw_q = 1'b0, ar_q = 1'b0;
  assign awvalid = rst_n & (aw_i | aw_q);
  assign arvalid = rst_n & (ar_i | ar_q);

  // A counter answers 8 cycles after it was asked, or later.
  logic counter_read, counter_valid;
  logic [3:0] counter_q = '0;
  assign counter_valid = counter_q[3] & counter_i;

  xt_registers i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .awvalid_i      (awvalid),
    .awready_o      (awready),
    .awaddr_i,
    .wvalid_i       (awvalid),
    .wready_o       (wready),
    .bvalid_o       (bvalid),
    .bready_i,
    .arvalid_i      (arvalid),
    .arready_o      (arready),
    .araddr_i,
    .rvalid_o       (rvalid),
    .rready_i,
    .counter_read_o (counter_read),
    .counter_valid_i(counter_valid)
  );

  logic [1:0] writes_ahead = '0, reads_ahead = '0;
  always_ff @(posedge clk_i) begin
    aw_q <= awvalid & ~awready;
    ar_q <= arvalid & ~arready;
    if (!rst_n || counter_valid) counter_q <= '0;
    else if (counter_read || (counter_q != '0 && !counter_q[3])) counter_q <= counter_q + 1'b1;
    if (!arvalid || arready) writes_ahead <= '0;
    else if (awready) writes_ahead <= writes_ahead + 1'b1;
    if (!awvalid || awready) reads_ahead <= '0;
    else if (arready) reads_ahead <= reads_ahead + 1'b1;
  end

  always_comb begin
    address_and_data_are_taken_together : assert (awready == wready);
    one_write_goes_before_a_read : assert (writes_ahead <= 2'd1);
    one_read_goes_before_a_write : assert (reads_ahead <= 2'd1);
    if (rst_n) one_access_at_a_time : assert (!(bvalid && rvalid));
  end

endmodule

`default_nettype wire
