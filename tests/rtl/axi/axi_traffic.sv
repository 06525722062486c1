// SPDX-License-Identifier: Apache-2.0
//
// The rules of sim/cocotb/rules hold.
// The traffic module of a board, to the card and to the bridge. The card keeps the rules; the host writes any register at any time.
`default_nettype none

module axi_traffic_proof (
  input logic                        clk_i,
  input logic                        we_i,
  input logic [                 8:0] address_i,
  input logic [                31:0] wdata_i,
  input logic                        bridge_tvalid_i,
  input logic [xt_pkg::CellBits-1:0] bridge_tdata_i,
  input logic                        bridge_tlast_i,
  input logic                        card_tready_i,
  input logic                        card_tvalid_i,
  input logic [xt_pkg::CellBits-1:0] card_tdata_i,
  input logic                        card_tlast_i,
  input logic                        card_tuser_i,
  input logic                        bridge_tready_i
);

  localparam int CellBits = xt_pkg::CellBits;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic bridge_tready, card_tvalid, card_tlast, card_tready, bridge_tvalid;
  logic [CellBits-1:0] card_tdata;
  logic [31:0] unused_rdata;

  xt_traffic #(.Table(0)) i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .we_i,
    .table_we_i     (1'b0),
    .address_i,
    .wdata_i,
    .rdata_o        (unused_rdata),
    .bridge_tvalid_i,
    .bridge_tready_o(bridge_tready),
    .bridge_tdata_i,
    .bridge_tlast_i,
    .card_tvalid_o  (card_tvalid),
    .card_tready_i,
    .card_tdata_o   (card_tdata),
    .card_tlast_o   (card_tlast),
    .card_tvalid_i,
    .card_tready_o  (card_tready),
    .card_tdata_i,
    .card_tlast_i,
    .card_tuser_i,
    .bridge_tvalid_o(bridge_tvalid),
    .bridge_tready_i
  );

  wire [CellBits+1:0] beat = {card_tuser_i, card_tlast_i, card_tdata_i};
  axi_stream_rules #(.Width(CellBits + 2), .Sender(1'b0)) i_cards_rules (
    .clk_i, .rst_ni(rst_n), .tvalid_i(card_tvalid_i), .tready_i(card_tready), .beat_i(beat));
  axi_stream_rules #(.Width(CellBits + 1)) i_to_card_rules (
    .clk_i, .rst_ni(rst_n), .tvalid_i(card_tvalid), .tready_i(card_tready_i), .beat_i({card_tlast, card_tdata}));
  axi_stream_rules #(.Width(CellBits + 2)) i_to_bridge_rules (
    .clk_i, .rst_ni(rst_n), .tvalid_i(bridge_tvalid), .tready_i(bridge_tready_i), .beat_i(beat));

endmodule

`default_nettype wire
