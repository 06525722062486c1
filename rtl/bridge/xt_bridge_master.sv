// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite master: one access at a time to the registers of one of several cards. All cards share addresses and write
// data.
//
// Latency: a cycle from start_i to the address, none from the response to done_o.
// Speed: a choice of one card by card_i, with no register from the response to data_o.
`default_nettype none

module xt_bridge_master #(
  /// Cards.
  parameter int Cards = 1,
  /// Bits of the number of a card.
  localparam int CardBits = (Cards > 1) ? $clog2(Cards) : 1
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,

  /// Begin an access; not while one is under way.
  input  logic                start_i,
  /// The access is a write.
  input  logic                write_i,
  /// To which card; steady until done_o.
  input  logic [CardBits-1:0] card_i,
  /// Address.
  input  logic [        15:0] address_i,
  /// Word to write.
  input  logic [        31:0] data_i,
  /// The access is over.
  output logic                done_o,
  /// An access is going on.
  output logic                busy_o,
  /// The card refused the access.
  output logic                refused_o,
  /// Read data.
  output logic [        31:0] data_o,

  /// AXI4-Lite write address.
  output logic [   Cards-1:0] awvalid_o,
  /// AXI4-Lite write address.
  input  logic [   Cards-1:0] awready_i,
  /// AXI4-Lite write data.
  output logic [   Cards-1:0] wvalid_o,
  /// AXI4-Lite write data.
  input  logic [   Cards-1:0] wready_i,
  /// AXI4-Lite write data.
  output logic [        31:0] wdata_o,
  /// AXI4-Lite write response.
  input  logic [   Cards-1:0] bvalid_i,
  /// AXI4-Lite write response.
  output logic [   Cards-1:0] bready_o,
  /// AXI4-Lite write response.
  input  logic [ 2*Cards-1:0] bresp_i,
  /// AXI4-Lite read address.
  output logic [   Cards-1:0] arvalid_o,
  /// AXI4-Lite read address.
  input  logic [   Cards-1:0] arready_i,
  /// AXI4-Lite addresses.
  output logic [        15:0] address_o,
  /// AXI4-Lite read data.
  input  logic [   Cards-1:0] rvalid_i,
  /// AXI4-Lite read data.
  output logic [   Cards-1:0] rready_o,
  /// AXI4-Lite read data.
  input  logic [32*Cards-1:0] rdata_i,
  /// AXI4-Lite read data.
  input  logic [ 2*Cards-1:0] rresp_i
);

  logic       read_q, write_q;  // waiting for the response
  logic [1:0] response;

  // A response that nothing waits for, to a request that an upset made, is taken at once: none is left for later ones.
  assign bready_o = '1;
  assign rready_o = '1;

  always @* begin
    done_o   = 1'b0;
    response = '0;
    data_o   = '0;
    for (int c = 0; c < Cards; c++) begin
      if (card_i == c[CardBits-1:0]) begin
        done_o   = (write_q && bvalid_i[c]) || (read_q && rvalid_i[c]);
        response = write_q ? bresp_i[2*c+:2] : rresp_i[2*c+:2];
        data_o   = rdata_i[32*c+:32];
      end
    end
  end
  assign busy_o    = read_q | write_q;
  assign refused_o = response != 2'b00;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      awvalid_o <= '0;
      wvalid_o  <= '0;
      arvalid_o <= '0;
      read_q    <= 1'b0;
      write_q   <= 1'b0;
    end else begin
      awvalid_o <= awvalid_o & ~awready_i;
      wvalid_o  <= wvalid_o & ~wready_i;
      arvalid_o <= arvalid_o & ~arready_i;
      if (done_o) begin
        read_q  <= 1'b0;
        write_q <= 1'b0;
      end
      if (start_i) begin
        read_q  <= !write_i;
        write_q <= write_i;
        for (int c = 0; c < Cards; c++) begin
          if (card_i == c[CardBits-1:0]) begin
            awvalid_o[c] <= write_i;
            wvalid_o[c]  <= write_i;
            arvalid_o[c] <= !write_i;
          end
        end
      end
    end
    if (start_i) begin
      address_o <= address_i;
      wdata_o   <= data_i;
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      master_starts_one_access_at_a_time :
      assert (!start_i || (!read_q && !write_q));
    end
  end
`endif

endmodule

`default_nettype wire
