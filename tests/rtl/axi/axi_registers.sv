// SPDX-License-Identifier: Apache-2.0
//
// The rules of sim/cocotb/rules hold.
// The registers of a card. The master keeps the rules of a master. A counter answers 8 cycles after it was asked, or later.
`default_nettype none

module axi_registers_proof (
  input logic                              clk_i,
  input logic                              awvalid_i,
  input logic                              wvalid_i,
  input logic                              bready_i,
  input logic                              arvalid_i,
  input logic                              rready_i,
  input logic                              counter_i,
  input logic [                       3:0] wstrb_i,
  input logic [                      31:0] wdata_i,
  input logic [xt_pkg::RegAddressBits-1:0] awaddr_i,
  input logic [xt_pkg::RegAddressBits-1:0] araddr_i
);

  logic rst_n = 1'b0;
  logic [3:0] counter_q = '0;
  logic awready, wready, bvalid, arready, rvalid, counter_read;
  logic [ 1:0] bresp, rresp;
  logic [31:0] rdata;
  wire counter_valid = counter_q[3] & counter_i;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (!rst_n || counter_valid) counter_q <= '0;
    else if (counter_read || (counter_q != '0 && !counter_q[3])) counter_q <= counter_q + 1'b1;
  end
  wire awvalid = awvalid_i & rst_n;
  wire wvalid = wvalid_i & rst_n;
  wire arvalid = arvalid_i & rst_n;

  xt_registers i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .awvalid_i      (awvalid),
    .awready_o      (awready),
    .awaddr_i,
    .wvalid_i       (wvalid),
    .wready_o       (wready),
    .wdata_i,
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
  axi_lite_rules #(.Master(1'b0), .AddressBits(xt_pkg::RegAddressBits)) i_rules (
    .clk_i, .rst_ni(rst_n), .awvalid_i(awvalid), .awready_i(awready), .awaddr_i, .wvalid_i(wvalid), .wready_i(wready), .wdata_i, .wstrb_i, .bvalid_i(bvalid),
    .bready_i, .bresp_i(bresp), .arvalid_i(arvalid), .arready_i(arready), .araddr_i, .rvalid_i(rvalid), .rready_i, .rdata_i(rdata), .rresp_i(rresp));

endmodule

`default_nettype wire
