// SPDX-License-Identifier: Apache-2.0
//
// Three cards in a row, with a PE each. The first PE pauses within a packet to the last card. Meanwhile the second PE sends
// packets there, which share the link to the last card. Then the first PE goes on. Its next packets end early and run on.
// The bench says how many packets came before the first PE went on.
`timescale 1ns / 1ps
`default_nettype none

module pausing_pe #(
  parameter int StoreForward = 0,
  /// Cells of the first PE before its pause.
  parameter int Before = 3
);

  localparam int Cards = 3;
  localparam int CellBits = xt_pkg::CellBits;
  localparam int FrameBits = xt_pkg::FrameBits;
  localparam int Links = xt_pkg::LinkPorts;
  localparam int Cells = xt_pkg::PacketCells;
  localparam int Packets = 3;  // of the second PE
  localparam int Target = 2;

  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  logic [Cards-1:0] valid = '0, last = '0, ready, awvalid = '0, awready, wready, bvalid, arvalid = '0, rvalid;
  logic [CellBits*Cards-1:0] data;  // unknown until a beat is offered
  logic [31:0] wdata = '0;
  logic [32*Cards-1:0] rdata;
  logic [15:0] address = '0;
  logic [Cards-1:0] out_valid, out_last;
  logic [CellBits*Cards-1:0] out_data;
  logic [Links*Cards-1:0] link_valid;
  logic [Links*FrameBits*Cards-1:0] link_frame;

  // Link 0 leads to the card below, link 1 to the card above.
  for (genvar c = 0; c < Cards; c++) begin : g_card
    logic [Links-1:0] in_valid_q;
    logic [Links*FrameBits-1:0] in_frame_q;

    always @(posedge clk) begin
      in_valid_q <= '0;
      in_frame_q <= '0;
      if (c > 0 && rst_n) begin
        in_valid_q[0] <= link_valid[Links*((c+Cards-1)%Cards)+1];
        in_frame_q[0+:FrameBits] <= link_frame[FrameBits*(Links*((c+Cards-1)%Cards)+1)+:FrameBits];
      end
      if (c < Cards - 1 && rst_n) begin
        in_valid_q[1] <= link_valid[Links*((c+1)%Cards)];
        in_frame_q[FrameBits+:FrameBits] <= link_frame[FrameBits*Links*((c+1)%Cards)+:FrameBits];
      end
    end

    xt_card #(
      .StoreForward(StoreForward)
    ) i_card (
      .clk_i         (clk),
      .rst_ni        (rst_n),
      .link_valid_i  (in_valid_q),
      .link_frame_i  (in_frame_q),
      .link_valid_o  (link_valid[Links*c+:Links]),
      .link_frame_o  (link_frame[Links*FrameBits*c+:Links*FrameBits]),
      .nic_tvalid_i  (valid[c]),
      .nic_tready_o  (ready[c]),
      .nic_tdata_i   (data[CellBits*c+:CellBits]),
      .nic_tlast_i   (last[c]),
      .nic_tvalid_o  (out_valid[c]),
      .nic_tready_i  (1'b1),
      .nic_tdata_o   (out_data[CellBits*c+:CellBits]),
      .nic_tlast_o   (out_last[c]),
      .axil_awvalid_i(awvalid[c]),
      .axil_awready_o(awready[c]),
      .axil_awaddr_i (address),
      .axil_wvalid_i (awvalid[c]),
      .axil_wready_o (wready[c]),
      .axil_wdata_i  (wdata),
      .axil_wstrb_i  (4'hf),
      .axil_bvalid_o (bvalid[c]),
      .axil_bready_i (1'b1),
      .axil_arvalid_i(arvalid[c]),
      .axil_araddr_i (address),
      .axil_rvalid_o (rvalid[c]),
      .axil_rready_i (1'b1),
      .axil_rdata_o  (rdata[32*c+:32])
    );
  end

  task automatic fail(input integer reason);
    $display("FAIL %0d at %0t", reason, $time);
    $finish;
  endtask

  // Cells by packet: the tag counts the packets of each PE, and each cell names its PE, packet and place.
  function automatic logic [CellBits-1:0] beat(input int from, input int tag, input int place, input int cells);
    beat = CellBits'({4'(from), 8'(tag), 8'(place)});
    if (place == 0) begin
      beat = '0;
      beat[xt_pkg::HdrDestLsb+:xt_pkg::IdBits] = xt_pkg::IdBits'(Target);
      beat[xt_pkg::HdrSrcLsb+:xt_pkg::IdBits] = xt_pkg::IdBits'(from);
      beat[xt_pkg::HdrLenLsb+:xt_pkg::LenBits] = xt_pkg::LenBits'(cells - 1);
      beat[xt_pkg::HdrTagLsb+:4] = 4'(tag);
    end
  endfunction

  // ---------------------------------------------------------------- what comes
  int packets [Cards];
  initial for (int c = 0; c < Cards; c++) packets[c] = 0;
  int cell_at = 0, from = 0, length = 0;
  always @(negedge clk) if (rst_n && $time > 200) begin
    if (^{ready, out_valid} === 1'bx) fail(1);
    if (out_valid[Target]) begin
      logic [CellBits-1:0] got;
      got = out_data[CellBits*Target+:CellBits];
      if (cell_at == 0) begin
        from   = int'(got[xt_pkg::HdrSrcLsb+:xt_pkg::IdBits]);
        length = int'(got[xt_pkg::HdrLenLsb+:xt_pkg::LenBits]) + 1;
      end
      // The second packet of the first PE ends early: zeros stand for the rest.
      if (from == 0 && packets[0] == 1 && cell_at >= 2) begin
        if (got !== '0) fail(2);
      end else if (got !== beat(from, packets[from], cell_at, length)) fail(3);
      cell_at = cell_at + 1;
      if (out_last[Target] != (cell_at == length)) fail(4);
      if (out_last[Target]) begin
        packets[from] = packets[from] + 1;
        cell_at = 0;
      end
    end
  end

  // ---------------------------------------------------------------- what is sent
  // Beats `first` to `end_ - 1` of a packet; its header names `cells` cells, and its tlast comes with beat `beats - 1`.
  task automatic send(input int card, input int tag, input int cells, input int beats, input int first, input int end_);
    for (int b = first; b < end_; b++) begin
      #1 data[CellBits*card+:CellBits] = beat(card, tag, b, cells); valid[card] = 1'b1; last[card] = b == beats - 1;
      @(negedge clk) while (!ready[card]) @(negedge clk);
      @(posedge clk);
    end
    #1 valid[card] = 1'b0;
  endtask

  task automatic write_register(input int card, input logic [15:0] at, input logic [31:0] value);
    @(posedge clk) #1 address = at; wdata = value; awvalid[card] = 1'b1;
    @(negedge clk) while (!(awready[card] && wready[card])) @(negedge clk);
    @(posedge clk) #1 awvalid[card] = 1'b0;
    @(negedge clk) while (!bvalid[card]) @(negedge clk);
    @(posedge clk);
  endtask

  task automatic read_register(input int card, input logic [15:0] at, output logic [31:0] value);
    @(posedge clk) #1 address = at; arvalid[card] = 1'b1;
    @(posedge clk) #1 arvalid[card] = 1'b0;
    @(negedge clk) while (!rvalid[card]) @(negedge clk);
    value = rdata[32*card+:32];
    @(posedge clk);
  endtask

  logic [31:0] value;
  int passed;
  initial begin
    repeat (20) @(posedge clk);
    #1 rst_n = 1'b1;
    value = '0;
    while (!value[0]) begin
      repeat (50) @(posedge clk);
      read_register(Cards - 1, xt_pkg::RegStatus, value);
    end
    for (int c = 0; c < Cards; c++) begin
      write_register(c, xt_pkg::RegCardId, 32'(c));
      write_register(c, xt_pkg::RegMatchMask, 32'd0);
      write_register(c, xt_pkg::RegTablePorts, 32'd1 << Links | 32'd1);
      value = '0;
      value[xt_pkg::EntryPortLsb+:xt_pkg::EntryPortBits] = xt_pkg::EntryPortBits'((c == Target) ? Links : 1);
      value[xt_pkg::EntryValidBit] = 1'b1;
      write_register(c, xt_pkg::RegLrt + 16'(xt_pkg::RegEntryStride * Target), value);
      write_register(c, xt_pkg::RegLrt + 16'(xt_pkg::RegEntryStride * Target + 4), 32'd0);
    end

    send(0, 0, Cells, Cells, 0, Before);
    repeat (30) @(posedge clk);
    for (int p = 0; p < Packets; p++) send(1, p, 1 + p, 1 + p, 0, 1 + p);
    repeat (200) @(posedge clk);
    passed = packets[1];
    if (packets[0] != 0) fail(5);

    send(0, 0, Cells, Cells, Before, Cells);
    // A packet whose tlast comes early, one that runs on over more beats than any store has, and good ones at full speed.
    send(0, 1, Cells, 2, 0, 2);
    send(0, 2, 2, 16 * Cells, 0, 16 * Cells);
    for (int p = 3; p < 7; p++) send(0, p, Cells, Cells, 0, Cells);
    repeat (100) @(posedge clk);
    if (packets[0] != 7 || packets[1] != Packets || cell_at != 0) fail(6);
    read_register(0, xt_pkg::RegFramingErrors + 16'(Links * xt_pkg::RegPortStride), value);
    if (value != 32'd2) fail(7);
    $display("%0d of %0d packets before the PE goes on", passed, Packets);
    $finish;
  end

  initial begin
    #100000 fail(8);
  end

endmodule

`default_nettype wire
