// SPDX-License-Identifier: Apache-2.0
//
// The rules of sim/cocotb/rules hold.
// The bridge's master of two cards. A card keeps the rules of a slave. An access is offered in the cycle after its start, also to a
// card that is not ready. A response is taken as it comes, also one that nothing waits for.
`default_nettype none

module axi_master_proof (
  input logic        clk_i,
  input logic        start_i,
  input logic        write_i,
  input logic        card_i,
  input logic [15:0] address_i,
  input logic [31:0] data_i,
  input logic [ 1:0] awready_i,
  input logic [ 1:0] wready_i,
  input logic [ 1:0] bvalid_i,
  input logic [ 3:0] bresp_i,
  input logic [ 1:0] arready_i,
  input logic [ 1:0] rvalid_i,
  input logic [63:0] rdata_i,
  input logic [ 3:0] rresp_i
);

  logic rst_n = 1'b0, card_q = 1'b0, started_q = 1'b0, write_q = 1'b0;
  logic done, busy, unused_refused;
  logic [ 1:0] awvalid, wvalid, bready, arvalid, rready;
  logic [31:0] wdata, unused_data;
  logic [15:0] address;
  wire start = start_i & rst_n & ~busy;
  // The number of the card is steady until the access is over.
  wire card = start ? card_i : card_q;
  always_ff @(posedge clk_i) begin
    rst_n  <= 1'b1;
    card_q <= card;
    started_q <= start;
    write_q   <= write_i;
  end

  xt_bridge_master #(.Cards(2)) i_dut (
    .clk_i,
    .rst_ni   (rst_n),
    .start_i  (start),
    .write_i,
    .card_i   (card),
    .address_i,
    .data_i,
    .done_o   (done),
    .busy_o   (busy),
    .refused_o(unused_refused),
    .data_o   (unused_data),
    .awvalid_o(awvalid),
    .awready_i,
    .wvalid_o (wvalid),
    .wready_i,
    .wdata_o  (wdata),
    .bvalid_i,
    .bready_o (bready),
    .bresp_i,
    .arvalid_o(arvalid),
    .arready_i,
    .address_o(address),
    .rvalid_i,
    .rready_o (rready),
    .rdata_i,
    .rresp_i
  );
  for (genvar c = 0; c < 2; c++) begin : g_card
    axi_lite_rules #(.Slave(1'b0)) i_rules (
      .clk_i, .rst_ni(rst_n), .awvalid_i(awvalid[c]), .awready_i(awready_i[c]), .awaddr_i(address), .wvalid_i(wvalid[c]), .wready_i(wready_i[c]),
      .wdata_i(wdata), .wstrb_i(4'hf), .bvalid_i(bvalid_i[c]), .bready_i(bready[c]), .bresp_i(bresp_i[2*c+:2]), .arvalid_i(arvalid[c]),
      .arready_i(arready_i[c]), .araddr_i(address), .rvalid_i(rvalid_i[c]), .rready_i(rready[c]), .rdata_i(rdata_i[32*c+:32]),
      .rresp_i(rresp_i[2*c+:2]));
  end
  always_comb no_response_waits : assert (&bready && &rready);
  always_comb if (started_q) begin
    if (write_q) a_write_waits_for_no_one : assert (awvalid[card_q] && wvalid[card_q]);
    if (!write_q) a_read_waits_for_no_one : assert (arvalid[card_q]);
  end

endmodule

`default_nettype wire
