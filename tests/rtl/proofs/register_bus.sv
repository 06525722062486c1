// SPDX-License-Identifier: Apache-2.0
//
// xt_registers keeps the rules of AXI4-Lite: an answer stays until the master takes it, and each access has one. Of a read
// and writes, or of a write and reads, that wait together, at most one of the others goes first. A read is answered in time
// although the master takes no write response, and a write although the master takes no read data. The master keeps an
// address until it is taken. All other inputs are free, the strobes too.
`default_nettype none

module register_bus_proof (
  input logic                              clk_i,
  input logic                              aw_i,
  input logic                              ar_i,
  input logic                              bready_i,
  input logic                              rready_i,
  input logic                              counter_i,
  input logic [                       3:0] wstrb_i,
  input logic [xt_pkg::RegAddressBits-1:0] awaddr_i,
  input logic [xt_pkg::RegAddressBits-1:0] araddr_i
);

  // An address waits for a read under way, an access of the other kind and its own turn.
  localparam int Bound = 16;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic awvalid, arvalid, awready, wready, arready, bvalid, rvalid;
  logic aw_q = 1'b0, ar_q = 1'b0;
  assign awvalid = rst_n & (aw_i | aw_q);
  assign arvalid = rst_n & (ar_i | ar_q);
  logic [1:0] bresp, rresp;
  logic [31:0] rdata;

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
    .wstrb_i,
    .bvalid_o       (bvalid),
    .bready_i,
    .bresp_o        (bresp),
    .arvalid_i      (arvalid),
    .arready_o      (arready),
    .araddr_i,
    .rvalid_o       (rvalid),
    .rready_i,
    .rdata_o        (rdata),
    .rresp_o        (rresp),
    .table_grant_i  (1'b1),
    .counter_read_o (counter_read),
    .counter_due_i  (counter_q != '0),
    .counter_valid_i(counter_valid)
  );

  logic [ 1:0] writes_ahead = '0, reads_ahead = '0;
  logic [ 4:0] write_age = '0, read_age = '0;
  logic        write_owed = 1'b0, read_owed = 1'b0, write_none = 1'b0, write_some = 1'b0;  // taken, not answered yet
  logic        b_stays = 1'b0, r_stays = 1'b0;
  logic [ 3:0] wstrb_q = '0;
  logic [ 1:0] bresp_q = '0, rresp_q = '0;
  logic [31:0] rdata_q = '0;
  always_ff @(posedge clk_i) begin
    aw_q <= awvalid & ~awready;
    ar_q <= arvalid & ~arready;
    if (!rst_n || counter_valid) counter_q <= '0;
    else if (counter_read || (counter_q != '0 && !counter_q[3])) counter_q <= counter_q + 1'b1;
    // Reads wait for their own answers.
    if (!arvalid || arready || rvalid) writes_ahead <= '0;
    else if (awready) writes_ahead <= writes_ahead + 1'b1;
    if (!awvalid || awready || bvalid) reads_ahead <= '0;
    else if (arready) reads_ahead <= reads_ahead + 1'b1;
    read_age  <= (!rst_n || !arvalid || arready || rvalid || counter_q != '0) ? '0 : read_age + 1'b1;
    write_age <= (!rst_n || !awvalid || awready || bvalid || counter_q != '0) ? '0 : write_age + 1'b1;
    if (!rst_n || awready || (bready_i && bvalid)) write_owed <= rst_n & awready;
    if (!rst_n || arready || (rready_i && rvalid)) read_owed <= rst_n & arready;
    wstrb_q <= wstrb_i;
    if (awready) write_none <= wstrb_q == '0;
    if (awready) write_some <= wstrb_q != '0 && wstrb_q != '1;
    b_stays <= rst_n & bvalid & ~bready_i;
    r_stays <= rst_n & rvalid & ~rready_i;
    bresp_q <= bresp;
    rresp_q <= rresp;
    rdata_q <= rdata;
  end

  always_comb begin
    address_and_data_are_taken_together : assert (awready == wready);
    one_write_goes_before_a_read : assert (writes_ahead <= 2'd1);
    one_read_goes_before_a_write : assert (reads_ahead <= 2'd1);
    a_read_waits_for_no_write_response : assert (read_age < Bound);
    a_write_waits_for_no_read_data : assert (write_age < Bound);
    if (rst_n) begin
      ready_only_with_valid : assert (!(awready && !awvalid) && !(arready && !arvalid));
      a_write_response_belongs_to_a_write : assert (!bvalid || write_owed);
      read_data_belong_to_a_read : assert (!rvalid || read_owed);
      one_write_at_a_time : assert (!(awready && write_owed));
      one_read_at_a_time : assert (!(arready && read_owed));
      a_write_of_no_byte_is_okay : assert (!(bvalid && write_none && bresp != '0));
      a_write_of_some_bytes_is_refused : assert (!(bvalid && write_some && bresp != 2'b10));
      if (b_stays) a_write_response_stays : assert (bvalid && bresp == bresp_q);
      if (r_stays) read_data_stay : assert (rvalid && rresp == rresp_q && rdata == rdata_q);
    end
  end

endmodule

`default_nettype wire
