// SPDX-License-Identifier: Apache-2.0
//
// Stands between the bridge and the registers of a card. Accesses from RegWindow on go to the board's own registers, of
// its links' pins and traffic generators. All others go to the card. The master makes one access at a time,
// address and data of a write together.
//
// Latency: a cycle.
// Speed: a subtraction and a choice of one word, from address_i to a register.
`default_nettype none

module xt_board_registers #(
  /// Bit per link port: the link has pins.
  parameter logic [xt_pkg::LinkPorts-1:0] Pins = '0,
  /// Bit per link port: the link leads to the same port of another card of the board.
  parameter logic [xt_pkg::LinkPorts-1:0] Inside = '0,
  /// Number of that card.
  parameter int Peer = 0,
  /// The NICs have traffic generators.
  parameter int Traffic = 1,
  /// Columns of their tables; 0: they have none.
  parameter int TrafficTable = 512,
  /// Cycles of a frame on pins.
  parameter int FrameCycles = 1,
  /// Bits of a word to write.
  localparam int WriteBits = (xt_pkg::LinkPorts > 8) ? xt_pkg::LinkPorts : 8
) (
  /// Clock.
  input  logic                                    clk_i,
  /// Reset, active low, synchronous.
  input  logic                                    rst_ni,

  /// Address of the access, steady until its end.
  input  logic [                            15:0] address_i,
  /// Lowest bits of the word to write.
  input  logic [                   WriteBits-1:0] wdata_i,
  /// The master's side.
  input  logic                                    awvalid_i,
  /// The master's side.
  output logic                                    awready_o,
  /// The master's side.
  input  logic                                    wvalid_i,
  /// The master's side.
  output logic                                    wready_o,
  /// The master's side.
  output logic                                    bvalid_o,
  /// The master's side.
  input  logic                                    bready_i,
  /// The master's side.
  output logic [                             1:0] bresp_o,
  /// The master's side.
  input  logic                                    arvalid_i,
  /// The master's side.
  output logic                                    arready_o,
  /// The master's side.
  output logic                                    rvalid_o,
  /// The master's side.
  input  logic                                    rready_i,
  /// The master's side.
  output logic [                            31:0] rdata_o,
  /// The master's side.
  output logic [                             1:0] rresp_o,

  /// The card's side.
  output logic                                    card_awvalid_o,
  /// The card's side.
  input  logic                                    card_awready_i,
  /// The card's side.
  output logic                                    card_wvalid_o,
  /// The card's side.
  input  logic                                    card_wready_i,
  /// The card's side.
  input  logic                                    card_bvalid_i,
  /// The card's side.
  output logic                                    card_bready_o,
  /// The card's side.
  input  logic [                             1:0] card_bresp_i,
  /// The card's side.
  output logic                                    card_arvalid_o,
  /// The card's side.
  input  logic                                    card_arready_i,
  /// The card's side.
  input  logic                                    card_rvalid_i,
  /// The card's side.
  output logic                                    card_rready_o,
  /// The card's side.
  input  logic [                            31:0] card_rdata_i,
  /// The card's side.
  input  logic [                             1:0] card_rresp_i,

  /// Links: bit error test.
  output logic [           xt_pkg::LinkPorts-1:0] test_o,
  /// Links: each hears itself.
  output logic [           xt_pkg::LinkPorts-1:0] loop_o,
  /// Links: this end is aligned.
  input  logic [           xt_pkg::LinkPorts-1:0] locked_i,
  /// Links: both ends are.
  input  logic [           xt_pkg::LinkPorts-1:0] up_i,
  /// Links: an idle word has come.
  input  logic [           xt_pkg::LinkPorts-1:0] idle_i,
  /// Links: wrong bits of that word.
  input  logic [         8*xt_pkg::LinkPorts-1:0] wrong_i,

  /// Where the phase of the links' clock is to be, in steps, with a sign.
  output logic [                             7:0] phase_o,
  /// 15:8 steps of a period, 0: the phase is fixed; 7:0 where the phase is.
  input  logic [                            15:0] phase_i,

  /// Traffic generators: write.
  output logic [            xt_pkg::NicPorts-1:0] traffic_we_o,
  /// Traffic generators: write a word of the table.
  output logic [            xt_pkg::NicPorts-1:0] table_we_o,
  /// Traffic generators: the words at the address.
  input  logic [         32*xt_pkg::NicPorts-1:0] traffic_rdata_i
);

  localparam int Links = xt_pkg::LinkPorts;
  localparam int Nics = xt_pkg::NicPorts;
  localparam logic [15:0] Links0 = xt_bridge_pkg::RegLinkWords;
  localparam logic [15:0] Peers0 = xt_bridge_pkg::RegLinkPeer;
  localparam logic [15:0] Traffic0 = xt_bridge_pkg::RegTrafficControl;
  localparam logic [15:0] Table0 = xt_bridge_pkg::RegTrafficTable;
  // 31:24 of RegWindow: logarithm of a table's columns.
  localparam int TableBits = (Traffic != 0 && TrafficTable != 0) ? $clog2(TrafficTable) : 0;

  logic own, write, read, bvalid_q, rvalid_q;
  logic [15:0] traffic, tabled;  // number of the generator, if its registers are written; if its table is
  logic [31:0] own_data, own_data_q;
  logic [32*Links-1:0] words_q, wrong_q;

  assign traffic = (address_i - Traffic0) / xt_bridge_pkg::TrafficStride[15:0];
  assign tabled  = (address_i - Table0) / xt_bridge_pkg::TrafficTableStride[15:0];
  assign own   = address_i >= xt_bridge_pkg::RegWindow;
  assign write = own & awvalid_i & wvalid_i & ~bvalid_q;
  assign read  = own & arvalid_i & ~rvalid_q;

  assign card_awvalid_o = awvalid_i & ~own;
  assign card_wvalid_o  = wvalid_i & ~own;
  assign card_arvalid_o = arvalid_i & ~own;
  assign card_bready_o  = bready_i & ~own;
  assign card_rready_o  = rready_i & ~own;
  assign awready_o      = own ? write : card_awready_i;
  assign wready_o       = own ? write : card_wready_i;
  assign arready_o      = own ? read : card_arready_i;
  assign bvalid_o       = own ? bvalid_q : card_bvalid_i;
  assign rvalid_o       = own ? rvalid_q : card_rvalid_i;
  assign bresp_o        = own ? 2'b00 : card_bresp_i;
  assign rresp_o        = own ? 2'b00 : card_rresp_i;
  assign rdata_o        = own ? own_data_q : card_rdata_i;

  always_comb begin
    own_data = '0;
    case (address_i)
      xt_bridge_pkg::RegWindow: own_data = {8'(TableBits), 8'(FrameCycles), (Traffic != 0) ? 8'(Nics) : 8'd0, 8'(Pins)};
      xt_bridge_pkg::RegLinkTest: own_data[Links-1:0] = test_o;
      xt_bridge_pkg::RegLinkLoop: own_data[Links-1:0] = loop_o;
      xt_bridge_pkg::RegLinkPins: own_data = {16'd0, 8'(up_i), 8'(locked_i)};
      xt_bridge_pkg::RegLinkPhase: own_data = {8'd0, phase_i, phase_o};
      default: ;
    endcase
    for (int p = 0; p < Links; p++) begin
      if (address_i == Peers0 + 16'(4 * p)) begin
        own_data = Inside[p] ? {3'b110, 13'(p), 16'(Peer)} : {2'b10, Pins[p], 29'd0};
      end
      if (address_i == Links0 + 16'(8 * p)) own_data = words_q[32*p+:32];
      if (address_i == Links0 + 16'(8 * p + 4)) own_data = wrong_q[32*p+:32];
    end
    for (int n = 0; n < Nics; n++) begin
      if (traffic == 16'(n)) own_data = traffic_rdata_i[32*n+:32];
    end
  end

  always @* begin
    traffic_we_o = '0;
    table_we_o   = '0;
    for (int n = 0; n < Nics; n++) begin
      traffic_we_o[n] = write && traffic == 16'(n);
      table_we_o[n]   = write && tabled == 16'(n);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bvalid_q <= 1'b0;
      rvalid_q <= 1'b0;
      test_o   <= '0;
      loop_o   <= '0;
      phase_o  <= '0;
      words_q  <= '0;
      wrong_q  <= '0;
    end else begin
      bvalid_q <= write | (bvalid_q & ~bready_i);
      rvalid_q <= read | (rvalid_q & ~rready_i);
      if (write && address_i == xt_bridge_pkg::RegLinkTest) test_o <= wdata_i[Links-1:0] & Pins;
      if (write && address_i == xt_bridge_pkg::RegLinkLoop) loop_o <= wdata_i[Links-1:0] & Pins;
      if (write && address_i == xt_bridge_pkg::RegLinkPhase && phase_i[15:8] != '0) phase_o <= wdata_i[7:0];
      for (int p = 0; p < Links; p++) begin
        if (idle_i[p]) begin
          words_q[32*p+:32] <= words_q[32*p+:32] + 1'b1;
          wrong_q[32*p+:32] <= wrong_q[32*p+:32] + {24'd0, wrong_i[8*p+:8]};
        end
      end
    end
    if (read) own_data_q <= own_data;
  end

endmodule

`default_nettype wire
