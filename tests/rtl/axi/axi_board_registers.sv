// SPDX-License-Identifier: Apache-2.0
//
// The rules of sim/cocotb/rules hold.
// A board's registers, to the master and to the card. The card keeps the rules of a slave. The master makes one access at a
// time, address and data of a write together, and takes the answer when it likes. The board's own registers answer within two
// cycles, and the card does not see an access to them.
`default_nettype none

module axi_board_registers_proof (
  input logic                           clk_i,
  input logic                           start_i,
  input logic                           write_i,
  input logic                           ready_i,
  input logic [                   15:0] address_i,
  input logic [                   31:0] data_i,
  input logic                           awready_i,
  input logic                           wready_i,
  input logic                           bvalid_i,
  input logic [                    1:0] bresp_i,
  input logic                           arready_i,
  input logic                           rvalid_i,
  input logic [                   31:0] rdata_i,
  input logic [                    1:0] rresp_i,
  input logic [  xt_pkg::LinkPorts-1:0] idle_i,
  input logic [8*xt_pkg::LinkPorts-1:0] wrong_i,
  input logic [ 32*xt_pkg::NicPorts-1:0] traffic_rdata_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // The master.
  logic busy_q = 1'b0, write_q = 1'b0, awvalid_q = 1'b0, wvalid_q = 1'b0, arvalid_q = 1'b0;
  logic [15:0] address_q;
  logic [31:0] wdata_q;
  logic awready, wready, bvalid, arready, rvalid;
  wire start = start_i & rst_n & ~busy_q;
  wire bready = ready_i & busy_q & write_q;
  wire rready = ready_i & busy_q & ~write_q;
  wire over = (bvalid & bready) | (rvalid & rready);
  always_ff @(posedge clk_i) begin
    busy_q    <= start | (busy_q & ~over);
    awvalid_q <= (start & write_i) | (awvalid_q & ~awready);
    wvalid_q  <= (start & write_i) | (wvalid_q & ~wready);
    arvalid_q <= (start & ~write_i) | (arvalid_q & ~arready);
    if (start) write_q <= write_i;
    if (start) address_q <= address_i;
    if (start) wdata_q <= data_i;
  end

  logic card_awvalid, card_wvalid, card_bready, card_arvalid, card_rready;
  logic [31:0] rdata;
  logic [ 1:0] bresp, rresp;
  logic [ 7:0] unused_phase;
  logic [xt_pkg::LinkPorts-1:0] unused_test, unused_loop;
  logic [xt_pkg::NicPorts-1:0] unused_traffic_we, unused_table_we;

  xt_board_registers #(.Pins('1)) i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .address_i      (address_q),
    .wdata_i        (wdata_q[7:0]),
    .awvalid_i      (awvalid_q),
    .awready_o      (awready),
    .wvalid_i       (wvalid_q),
    .wready_o       (wready),
    .bvalid_o       (bvalid),
    .bready_i       (bready),
    .bresp_o        (bresp),
    .arvalid_i      (arvalid_q),
    .arready_o      (arready),
    .rvalid_o       (rvalid),
    .rready_i       (rready),
    .rdata_o        (rdata),
    .rresp_o        (rresp),
    .card_awvalid_o (card_awvalid),
    .card_awready_i (awready_i),
    .card_wvalid_o  (card_wvalid),
    .card_wready_i  (wready_i),
    .card_bvalid_i  (bvalid_i),
    .card_bready_o  (card_bready),
    .card_bresp_i   (bresp_i),
    .card_arvalid_o (card_arvalid),
    .card_arready_i (arready_i),
    .card_rvalid_i  (rvalid_i),
    .card_rready_o  (card_rready),
    .card_rdata_i   (rdata_i),
    .card_rresp_i   (rresp_i),
    .test_o         (unused_test),
    .loop_o         (unused_loop),
    .locked_i       ('0),
    .up_i           ('0),
    .idle_i,
    .wrong_i,
    .phase_o        (unused_phase),
    .phase_i        ('0),
    .traffic_we_o   (unused_traffic_we),
    .table_we_o     (unused_table_we),
    .traffic_rdata_i
  );

  axi_lite_rules i_rules (
    .clk_i, .rst_ni(rst_n), .awvalid_i(awvalid_q), .awready_i(awready), .awaddr_i(address_q), .wvalid_i(wvalid_q), .wready_i(wready), .wdata_i(wdata_q),
    .wstrb_i(4'hf), .bvalid_i(bvalid), .bready_i(bready), .bresp_i(bresp), .arvalid_i(arvalid_q), .arready_i(arready), .araddr_i(address_q),
    .rvalid_i(rvalid), .rready_i(rready), .rdata_i(rdata), .rresp_i(rresp));
  axi_lite_rules #(.Slave(1'b0)) i_card_rules (
    .clk_i, .rst_ni(rst_n), .awvalid_i(card_awvalid), .awready_i(awready_i), .awaddr_i(address_q), .wvalid_i(card_wvalid), .wready_i(wready_i),
    .wdata_i(wdata_q), .wstrb_i(4'hf), .bvalid_i(bvalid_i), .bready_i(card_bready), .bresp_i(bresp_i), .arvalid_i(card_arvalid),
    .arready_i(arready_i), .araddr_i(address_q), .rvalid_i(rvalid_i), .rready_i(card_rready), .rdata_i(rdata_i), .rresp_i(rresp_i));

  wire own = address_q >= xt_bridge_pkg::RegWindow;
  logic [1:0] late_q = '0;
  always_ff @(posedge clk_i) late_q <= (busy_q & own & ~bvalid & ~rvalid) ? late_q + 1'b1 : '0;
  always_comb if (rst_n) begin
    own_registers_answer : assert (late_q < 2'd2);
    if (own) the_card_sees_no_other_access : assert (!card_awvalid && !card_wvalid && !card_arvalid && !card_bready && !card_rready);
    if (!own) the_card_sees_its_access : assert ({card_awvalid, card_wvalid, card_arvalid} == {awvalid_q, wvalid_q, arvalid_q});
  end

endmodule

`default_nettype wire
