// SPDX-License-Identifier: Apache-2.0
//
// A card in four states, every register unknown before reset, or the netlist of one (NETLIST), whose parameters are fixed. With
// +trace the bench tells in each cycle what leaves the card and is valid. The bench writes the tables, sends packets from each NIC to
// each output, reads registers, and fails if an output is X or Z while its valid says otherwise. Link outputs return to
// their own inputs, through a register. So a packet that leaves by a link comes back there, and goes to a NIC.
`timescale 1ns / 1ps
`default_nettype none

module four_state;

  localparam int Links = xt_pkg::LinkPorts;
  localparam int Nics = xt_pkg::NicPorts;
  localparam int CellBits = xt_pkg::CellBits;
  localparam int Cells = 3;

  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  logic [Links-1:0] link_valid, link_valid_q;
  logic [Links*xt_pkg::FrameBits-1:0] link_frame, link_frame_q;
  logic [Nics-1:0] in_valid = '0, in_ready, in_last = '0, out_valid, out_last, out_user;
  logic [Nics*CellBits-1:0] in_data, out_data;  // unknown until a beat is offered
  logic awvalid = 1'b0, awready, wready, bvalid, arvalid = 1'b0, arready, rvalid, idle;
  logic [15:0] address = '0;
  logic [31:0] wdata = '0, rdata;
  logic [1:0] bresp, rresp;

  // What leaves by a link comes back by that link.
  always @(posedge clk) begin
    link_valid_q <= rst_n ? link_valid : '0;
    link_frame_q <= link_frame;
  end

  // A link layer also has an end whose wires are narrower than a frame.
  xt_card
`ifndef NETLIST
  #(
    .NarrowLinks(Links'(xt_pkg::HasLinkLayer)),
    .FrameCycles(2)
  )
`endif
  i_card (
    .clk_i         (clk),
    .rst_ni        (rst_n),
    .link_valid_i  (link_valid_q),
    .link_frame_i  (link_frame_q),
    .link_valid_o  (link_valid),
    .link_frame_o  (link_frame),
    .nic_tvalid_i  (in_valid),
    .nic_tready_o  (in_ready),
    .nic_tdata_i   (in_data),
    .nic_tlast_i   (in_last),
    .nic_tvalid_o  (out_valid),
    .nic_tready_i  ({Nics{1'b1}}),
    .nic_tdata_o   (out_data),
    .nic_tlast_o   (out_last),
    .nic_tuser_o   (out_user),
    .axil_awvalid_i(awvalid),
    .axil_awready_o(awready),
    .axil_awaddr_i (address[xt_pkg::RegAddressBits-1:0]),
    .axil_wvalid_i (awvalid),
    .axil_wready_o (wready),
    .axil_wdata_i  (wdata),
    .axil_wstrb_i  (4'hf),
    .axil_bvalid_o (bvalid),
    .axil_bready_i (1'b1),
    .axil_bresp_o  (bresp),
    .axil_arvalid_i(arvalid),
    .axil_arready_o(arready),
    .axil_araddr_i (address[xt_pkg::RegAddressBits-1:0]),
    .axil_rvalid_o (rvalid),
    .axil_rready_i (1'b1),
    .axil_rdata_o  (rdata),
    .axil_rresp_o  (rresp),
    .idle_o        (idle)
  );

  task automatic fail(input integer reason);
    $display("FAIL %0d at %0t", reason, $time);
    $finish;
  endtask

  // A frame without the fields that nobody reads. Without a link layer a frame of a cell alone leaves the VC of a credit unknown,
  // and the other way about; a check word is of all fields.
  function automatic logic [xt_pkg::FrameBits-1:0] said(input logic [xt_pkg::FrameBits-1:0] frame);
    said = frame;
    if (xt_pkg::HasLinkLayer == 0 && frame[xt_pkg::FrameCellValidLsb] === 1'b0)
      said[xt_pkg::FrameVcLsb+:xt_pkg::FrameCreditValidLsb-xt_pkg::FrameVcLsb] = '0;
    if (xt_pkg::HasLinkLayer == 0 && frame[xt_pkg::FrameCreditValidLsb] === 1'b0)
      said[xt_pkg::FrameBits-1:xt_pkg::FrameCreditValidLsb] = '0;
  endfunction

  // ---------------------------------------------------------------- nothing unknown where something is said
  integer taken = 0, tails = 0, frames = 0;
  always @(negedge clk) if (rst_n && $time > 200) begin
    if (^{link_valid, in_ready, out_valid, awready, wready, bvalid, arready, rvalid, idle} === 1'bx) fail(1);
    for (int p = 0; p < Links; p++) begin
      if (link_valid[p] && ^said(link_frame[p*xt_pkg::FrameBits+:xt_pkg::FrameBits]) === 1'bx) fail(2);
      frames = frames + 32'(link_valid[p]);
    end
    for (int n = 0; n < Nics; n++) begin
      if (out_valid[n] && ^{out_data[n*CellBits+:CellBits], out_last[n], out_user[n]} === 1'bx) fail(3);
      taken = taken + 32'(out_valid[n]);
      tails = tails + 32'(out_valid[n] & out_last[n]);
    end
    if (bvalid && ^bresp === 1'bx) fail(4);
    if (rvalid && ^{rdata, rresp} === 1'bx) fail(5);
  end

  // ---------------------------------------------------------------- trace
  logic traces = 1'b0;
  initial traces = $test$plusargs("trace") != 0;
  always @(negedge clk) if (traces && rst_n) begin
    $write("%0t %b", $time, {link_valid, in_ready, out_valid, awready, wready, bvalid, arready, rvalid, idle});
    for (int p = 0; p < Links; p++) if (link_valid[p]) $write(" %b", said(link_frame[p*xt_pkg::FrameBits+:xt_pkg::FrameBits]));
    for (int n = 0; n < Nics; n++) if (out_valid[n]) $write(" %b", {out_data[n*CellBits+:CellBits], out_last[n], out_user[n]});
    if (bvalid) $write(" %b", bresp);
    if (rvalid) $write(" %b", {rdata, rresp});
    $write("\n");
  end

  // ---------------------------------------------------------------- register bus
  task automatic write_register(input logic [15:0] at, input logic [31:0] value);
    @(posedge clk) #1 address = at; wdata = value; awvalid = 1'b1;
    @(negedge clk) while (!awready) @(negedge clk);
    @(posedge clk) #1 awvalid = 1'b0;
    @(negedge clk) while (!bvalid) @(negedge clk);
    if (bresp != 2'b00) fail(6);
    @(posedge clk);
  endtask

  task automatic read_register(input logic [15:0] at, output logic [31:0] value);
    @(posedge clk) #1 address = at; arvalid = 1'b1;
    @(negedge clk) while (!arready) @(negedge clk);
    @(posedge clk) #1 arvalid = 1'b0;
    @(negedge clk) while (!rvalid) @(negedge clk);
    value = rdata;
    if (rresp != 2'b00) fail(7);
    @(posedge clk);
  endtask

  // ---------------------------------------------------------------- packets of class 0
  task automatic send(input int nic, input logic [xt_pkg::IdBits-1:0] to);
    logic [CellBits-1:0] beat;
    for (int c = 0; c < Cells; c++) begin
      beat = {CellBits{1'b1}} >> c;
      if (c == 0) begin
        beat = '0;
        beat[xt_pkg::HdrDestLsb+:xt_pkg::IdBits] = to;
        beat[xt_pkg::HdrLenLsb+:xt_pkg::LenBits] = xt_pkg::LenBits'(Cells - 1);
      end
      #1 in_data[nic*CellBits+:CellBits] = beat; in_valid[nic] = 1'b1; in_last[nic] = c == Cells - 1;
      @(negedge clk) while (!in_ready[nic]) @(negedge clk);
      @(posedge clk);
    end
    #1 in_valid[nic] = 1'b0;
  endtask

  // Entries of class 0: port p, VC 0 of the class.
  function automatic logic [31:0] entry(input int port);
    entry = '0;
    entry[xt_pkg::EntryPortLsb+:xt_pkg::EntryPortBits] = xt_pkg::EntryPortBits'(port);
    entry[xt_pkg::EntryValidBit] = 1'b1;
  endfunction

  logic [31:0] value;
  initial begin
    repeat (20) @(posedge clk);
    #1 rst_n = 1'b1;
    value = '0;
    while (!value[0]) begin
      repeat (50) @(posedge clk);
      read_register(xt_pkg::RegStatus, value);
      if ($time > 2000000) fail(8);
    end
    read_register(xt_pkg::RegMagic, value);
    if (value != xt_pkg::RegMagicValue) fail(9);
    // The lowest addresses are those of the NICs; those behind them lead out by a link and back to the first NIC.
    for (int a = 0; a < Nics + Links; a++) begin
      write_register(xt_pkg::RegTablePorts, (32'd1 << (Links + Nics)) - 32'd1);
      write_register(xt_pkg::RegLrt + 16'(8 * a), entry(a < Nics ? Links + a : Links));
      write_register(xt_pkg::RegLrt + 16'(8 * a + 4), 32'd0);
      if (a >= Nics) begin
        write_register(xt_pkg::RegTablePorts, ((32'd1 << Nics) - 32'd1) << Links);
        write_register(xt_pkg::RegLrt + 16'(8 * a), entry(a - Nics));
        write_register(xt_pkg::RegLrt + 16'(8 * a + 4), 32'd0);
      end
      write_register(xt_pkg::RegTableReadPort, 32'(Links));
      read_register(xt_pkg::RegLrt + 16'(8 * a), value);
      if (value != entry(a < Nics ? Links + a : a - Nics)) fail(10);
    end
    for (int p = 0; p < Links && xt_pkg::HasLinkLayer != 0; p++) begin
      read_register(xt_pkg::RegLinkState + 16'(p * xt_pkg::RegPortStride), value);
      if (value != 32'd1) fail(14);
      read_register(xt_pkg::RegCrcErrors + 16'(p * xt_pkg::RegPortStride), value);
      if (value != 32'd0) fail(16);
    end
    for (int round = 0; round < 4; round++) begin
      for (int from = 0; from < Nics; from++) begin
        for (int to = 0; to < Nics + Links; to++) send(from, xt_pkg::IdBits'(to));
      end
    end
    repeat (200) @(posedge clk);
    if (tails != 4 * Nics * (Nics + Links) || taken != Cells * tails) fail(11);
    if (frames < 4 * Nics * Links * Cells) fail(15);
    for (int n = 0; n < Nics; n++) begin
      read_register(xt_pkg::RegFramingErrors + 16'((Links + n) * xt_pkg::RegPortStride), value);
      if (value != 0) fail(12);
    end
`ifndef NETLIST
    if (!traces) check_wraps();
`endif
    $display("PASS %0d packets, %0d cells, %0d frames", tails, taken, frames);
    $finish;
  end

  // ---------------------------------------------------------------- counters at their end
  // The counters of the first NIC stand before 2^32. A packet from it to itself passes that at its port, and at no other.
  localparam logic [15:0] OfNic = 16'(Links * xt_pkg::RegPortStride);
  localparam logic [31:0] Wrapped = 32'd1 << 4;  // of ERROR_FLAGS

`ifndef NETLIST
  task automatic check_wraps();
    read_register(xt_pkg::RegRxCells + OfNic, value);  // collects the events of before
    for (int c = 0; c < 2 ** i_card.i_port_counters.i_bank.IndexBits; c++)
      i_card.i_port_counters.i_bank.i_counters.mem[(Links << i_card.i_port_counters.i_bank.IndexBits) + c] = 32'hffff_ffff;
    read_register(xt_pkg::RegErrorFlags + OfNic, value);
    if (value != 0) fail(17);
    send(0, '0);
    repeat (100) @(posedge clk);
    read_register(xt_pkg::RegRxCells + OfNic, value);
    if (value != 32'(Cells - 1)) fail(18);
    for (int p = 0; p < Links + Nics; p++) begin
      read_register(xt_pkg::RegErrorFlags + 16'(p * xt_pkg::RegPortStride), value);
      if (value != (p == Links ? Wrapped : 32'd0)) fail(19);
    end
    write_register(xt_pkg::RegErrorFlags + OfNic, Wrapped);
    read_register(xt_pkg::RegErrorFlags + OfNic, value);
    if (value != 0) fail(20);
  endtask
`endif

  initial #3000000 fail(13);

endmodule

`default_nettype wire
