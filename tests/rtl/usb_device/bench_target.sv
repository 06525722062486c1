// SPDX-License-Identifier: Apache-2.0
//
// The target behind the front end of a bench: the bridge, and registers in place of a card. The registers
// read as their address, and can be written only below 0x8000. The NIC ports have no queue behind them.
`default_nettype none

module bench_target (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] serial_i,
  input  logic        restart_i,
  input  logic        rx_valid_i,
  output logic        rx_ready_o,
  input  logic [ 7:0] rx_byte_i,
  output logic        tx_valid_o,
  input  logic        tx_ready_i,
  output logic [ 7:0] tx_byte_o,
  /// Words written so far.
  output logic [15:0] writes_o
);

  localparam int Nics = xt_pkg::NicPorts;
  localparam int CellBits = xt_pkg::CellBits;

  logic awvalid, wvalid, bvalid_q, bready, arvalid, rvalid_q, rready, refused_q;
  logic [15:0] address;
  logic write, read;

  assign write = awvalid && wvalid && !bvalid_q;
  assign read  = arvalid && !rvalid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bvalid_q  <= 1'b0;
      rvalid_q  <= 1'b0;
      writes_o  <= '0;
      refused_q <= 1'b0;
    end else begin
      if (bready) bvalid_q <= 1'b0;
      if (rready) rvalid_q <= 1'b0;
      if (write) bvalid_q <= 1'b1;
      if (read) rvalid_q <= 1'b1;
      if (write) refused_q <= address[15];
      if (write && !address[15]) writes_o <= writes_o + 1'b1;
    end
  end

  xt_bridge #(
    .Cards(1)
  ) i_bridge (
    .clk_i,
    .rst_ni,
    .serial_i,
    .restart_i,
    .rx_valid_i,
    .rx_ready_o,
    .rx_byte_i,
    .tx_valid_o,
    .tx_ready_i,
    .tx_byte_o,
    .card_rst_no   (),
    .attention_i   (1'b0),
    .axil_awvalid_o(awvalid),
    .axil_awready_i(write),
    .axil_wvalid_o (wvalid),
    .axil_wready_i (write),
    .axil_wdata_o  (),
    .axil_bvalid_i (bvalid_q),
    .axil_bready_o (bready),
    .axil_bresp_i  ({refused_q, 1'b0}),
    .axil_arvalid_o(arvalid),
    .axil_arready_i(read),
    .axil_address_o(address),
    .axil_rvalid_i (rvalid_q),
    .axil_rready_o (rready),
    .axil_rdata_i  ({16'hda7a, address}),
    .axil_rresp_i  (2'b00),
    .nic_tvalid_o  (),
    .nic_tready_i  ({Nics{1'b1}}),
    .nic_tdata_o   (),
    .nic_tlast_o   (),
    .nic_tvalid_i  ({Nics{1'b0}}),
    .nic_tready_o  (),
    .nic_tdata_i   ({(Nics * CellBits) {1'b0}}),
    .nic_tlast_i   ({Nics{1'b0}}),
    .nic_tuser_i   ({Nics{1'b0}})
  );

endmodule

`default_nettype wire
