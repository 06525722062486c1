// SPDX-License-Identifier: Apache-2.0
//
// The rules of AXI4-Lite. Of the master: an address or datum that is offered stays until it is taken. Of the slave: so does
// an answer; each access has one answer, not before the access; an answer is OKAY, SLVERR or DECERR; nothing is unknown.
`default_nettype none

module axi_lite_rules #(
  /// 1: the rules of the master are asserted, otherwise assumed.
  parameter bit Master = 1'b1,
  /// 1: the rules of the slave are asserted, otherwise assumed.
  parameter bit Slave = 1'b1,
  /// Bits of an address.
  parameter int AddressBits = 16
) (
  /// Clock.
  input logic                   clk_i,
  /// Reset, active low.
  input logic                   rst_ni,
  /// Write address.
  input logic                   awvalid_i,
  /// Write address.
  input logic                   awready_i,
  /// Write address.
  input logic [AddressBits-1:0] awaddr_i,
  /// Write data.
  input logic                   wvalid_i,
  /// Write data.
  input logic                   wready_i,
  /// Write data.
  input logic [           31:0] wdata_i,
  /// Write data.
  input logic [            3:0] wstrb_i,
  /// Write response.
  input logic                   bvalid_i,
  /// Write response.
  input logic                   bready_i,
  /// Write response.
  input logic [            1:0] bresp_i,
  /// Read address.
  input logic                   arvalid_i,
  /// Read address.
  input logic                   arready_i,
  /// Read address.
  input logic [AddressBits-1:0] araddr_i,
  /// Read data.
  input logic                   rvalid_i,
  /// Read data.
  input logic                   rready_i,
  /// Read data.
  input logic [           31:0] rdata_i,
  /// Read data.
  input logic [            1:0] rresp_i
);

  logic reset_q = 1'b1, aw_q = 1'b0, w_q = 1'b0, b_q = 1'b0, ar_q = 1'b0, r_q = 1'b0;
  logic [AddressBits-1:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q, rdata_q;
  logic [3:0] wstrb_q;
  logic [1:0] bresp_q, rresp_q;
  // Accesses without an answer yet. A card holds few of them.
  logic [3:0] addresses_q = '0, data_q = '0, reads_q = '0;

  always_ff @(posedge clk_i) begin
    reset_q  <= ~rst_ni;
    aw_q     <= rst_ni & awvalid_i & ~awready_i;
    w_q      <= rst_ni & wvalid_i & ~wready_i;
    b_q      <= rst_ni & bvalid_i & ~bready_i;
    ar_q     <= rst_ni & arvalid_i & ~arready_i;
    r_q      <= rst_ni & rvalid_i & ~rready_i;
    awaddr_q <= awaddr_i;
    wdata_q  <= wdata_i;
    wstrb_q  <= wstrb_i;
    bresp_q  <= bresp_i;
    araddr_q <= araddr_i;
    rdata_q  <= rdata_i;
    rresp_q  <= rresp_i;
    if (!rst_ni) begin
      addresses_q <= '0;
      data_q      <= '0;
      reads_q     <= '0;
    end else begin
      addresses_q <= addresses_q + 4'(awvalid_i & awready_i) - 4'(bvalid_i & bready_i);
      data_q      <= data_q + 4'(wvalid_i & wready_i) - 4'(bvalid_i & bready_i);
      reads_q     <= reads_q + 4'(arvalid_i & arready_i) - 4'(rvalid_i & rready_i);
    end
  end

  // Each rule as a bit.
  logic master_begins, address_stays, data_stay, read_address_stays;
  logic slave_begins, response_stays, read_data_stay, response_has_a_write, read_data_have_a_read, responses_are_legal;
  assign master_begins         = !reset_q | ~(awvalid_i | wvalid_i | arvalid_i);
  assign address_stays         = !aw_q | (awvalid_i & awaddr_i == awaddr_q);
  assign data_stay             = !w_q | (wvalid_i & wdata_i == wdata_q & wstrb_i == wstrb_q);
  assign read_address_stays    = !ar_q | (arvalid_i & araddr_i == araddr_q);
  assign slave_begins          = !reset_q | ~(bvalid_i | rvalid_i);
  assign response_stays        = !b_q | (bvalid_i & bresp_i == bresp_q);
  assign read_data_stay        = !r_q | (rvalid_i & rresp_i == rresp_q & rdata_i == rdata_q);
  assign response_has_a_write  = !bvalid_i | (addresses_q != '0 & data_q != '0);
  assign read_data_have_a_read = !rvalid_i | (reads_q != '0);
  assign responses_are_legal   = !(bvalid_i & bresp_i == 2'b01) & !(rvalid_i & rresp_i == 2'b01);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (Master) begin
        axi_lite_master_begins_without_an_access : assert (master_begins);
        axi_lite_write_address_stays : assert (address_stays);
        axi_lite_write_data_stay : assert (data_stay);
        axi_lite_read_address_stays : assert (read_address_stays);
      end
      if (Slave) begin
        axi_lite_slave_begins_without_an_answer : assert (slave_begins);
        axi_lite_write_response_stays : assert (response_stays);
        axi_lite_read_data_stay : assert (read_data_stay);
        axi_lite_response_has_a_write : assert (response_has_a_write);
        axi_lite_read_data_have_a_read : assert (read_data_have_a_read);
        axi_lite_responses_are_legal : assert (responses_are_legal);
      end
`ifdef YOSYS
      if (!Master) assume (master_begins & address_stays & data_stay & read_address_stays);
      if (!Slave) assume (slave_begins & response_stays & read_data_stay & response_has_a_write & read_data_have_a_read & responses_are_legal);
`else
      axi_lite_handshake_is_known : assert ((awready_i ^ wready_i ^ bvalid_i ^ arready_i ^ rvalid_i) !== 1'bx);
      if (bvalid_i) axi_lite_response_is_known : assert (^bresp_i !== 1'bx);
      if (rvalid_i) axi_lite_read_data_are_known : assert (^{rresp_i, rdata_i} !== 1'bx);
`endif
    end
  end

endmodule

`default_nettype wire
