// SPDX-License-Identifier: Apache-2.0
//
// The traffic generator and checker by Icarus Verilog. Its packets come back through a bench that pauses, checks every
// header by rules of its own, and spoils one packet on request. At the end the bench prints its counts and the
// counters, a line each: `name number`.
//   +spoil=1 a wrong bit  2 a packet is lost  3 another comes twice  4 another destination  5 marked as incomplete
//   +uniform=N, or +table=FILE (a word per column) and +pes=N  +rate=N  +cells=N  +packets=N
//   +drift=N and +step=N are written to the clock's registers  +gaps=1 packets come back late
`default_nettype none
`timescale 1ns / 1ps

module traffic;
  localparam int CellBits = xt_pkg::CellBits;
  localparam int Own = 5;
  localparam int Columns = 512;

  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  int spoil = 0, uniform = 0, pes = 0, rate = 65535, cells = 1, wanted = 400;
  int drift = 0, step = 0, gaps = 0, latency = 0, least = 65535, greatest = 0, took;
  int errors = 0, beats = 0, packets = 0, begin_cycle = 0, end_cycle = 0, cycle = 0, bridge_packets = 0;
  int histogram [Columns];
  string file;
  logic [31:0] words [Columns];

  logic we = 1'b0, table_we = 1'b0;
  logic [$clog2(Columns)-1:0] address = '0;
  logic [31:0] wdata = '0, rdata;
  logic bridge_valid = 1'b0, bridge_ready, bridge_last, card_valid, card_ready, card_last;
  logic [CellBits-1:0] bridge_data, card_data;
  logic back_valid = 1'b0, back_ready, back_last, back_user, host_valid;
  logic [CellBits-1:0] back_data;

  xt_traffic dut (
    .clk_i(clk), .rst_ni(rst_n), .we_i(we), .table_we_i(table_we), .address_i(address), .wdata_i(wdata), .rdata_o(rdata),
    .bridge_tvalid_i(bridge_valid), .bridge_tready_o(bridge_ready), .bridge_tdata_i(bridge_data),
    .bridge_tlast_i(bridge_last), .card_tvalid_o(card_valid), .card_tready_i(card_ready), .card_tdata_o(card_data),
    .card_tlast_o(card_last), .card_tvalid_i(back_valid), .card_tready_o(back_ready), .card_tdata_i(back_data),
    .card_tlast_i(back_last), .card_tuser_i(back_user), .bridge_tvalid_o(host_valid), .bridge_tready_i(1'b1)
  );

  // ---------------------------------------------------------------- what is sent, and where it comes back
  logic [CellBits-1:0] held [4096];
  logic held_last [4096];
  int held_since [4096], since;
  int put = 0, got = 0, position = 0, length = 0, came = 0;
  logic own, lose;
  logic pauses = 1'b0;

  always @(posedge clk) begin
    cycle <= cycle + 1;
    card_ready <= pauses ? ($urandom % 4) != 0 : 1'b1;
    if (rst_n && card_valid && card_ready) begin
      beats <= beats + 1;
      if (position == 0) begin
        own    = card_data[xt_pkg::HdrSrcLsb+:xt_pkg::IdBits] == Own;
        length = card_data[xt_pkg::HdrLenLsb+:xt_pkg::LenBits] + 1;
        if (!own) bridge_packets <= bridge_packets + 1;
        else begin
          if (packets == 0) begin_cycle <= cycle;
          end_cycle <= cycle;
          packets   <= packets + 1;
          if (length != cells) errors = errors + 1;
          if (pes != 0) begin
            if (card_data[xt_pkg::HdrDestLsb+:xt_pkg::IdBits] >= pes) errors = errors + 1;
            if (card_data[xt_pkg::HdrDestLsb+:xt_pkg::IdBits] == Own) errors = errors + 1;
            histogram[card_data[xt_pkg::HdrDestLsb+:9]] = histogram[card_data[xt_pkg::HdrDestLsb+:9]] + 1;
          end else if (card_data[xt_pkg::HdrDestLsb+:xt_pkg::IdBits] != Own) errors = errors + 1;
        end
      end else if (own == (card_data === {CellBits{1'b1}})) begin
        errors = errors + 1;  // a packet of the bridge within one of the generator, or the other way
      end
      if (card_last != (position == length - 1)) errors = errors + 1;
      position <= card_last ? 0 : position + 1;
      if (position == 0) since = cycle;
      if (position == 0) lose = spoil == 2 && packets == 100;
      if (own && pes == 0 && !lose) begin
        held[put % 4096]      = card_data;
        held_last[put % 4096] = card_last;
        held_since[put % 4096] = since;
        if (spoil == 1 && packets == 100 && card_last && cells > 1) held[put % 4096][7] = ~card_data[7];
        if (spoil == 4 && packets == 100 && position == 0) held[put % 4096][xt_pkg::HdrDestLsb] = ~card_data[xt_pkg::HdrDestLsb];
        put = put + 1;
        if (spoil == 3 && packets == 100 && card_last) begin
          for (int i = 0; i < cells; i++) begin
            held[(put + i) % 4096]      = held[(put - cells + i) % 4096];
            held_last[(put + i) % 4096] = held_last[(put - cells + i) % 4096];
          end
          put = put + cells;
        end
      end
    end
  end

  int taken = 0;
  always @(posedge clk) begin
    if (back_valid && back_ready) begin
      took = cycle - held_since[taken % 4096];
      if (back_last) begin
        latency = latency + took;
        if (took < least) least = took;
        if (took > greatest) greatest = took;
      end
      taken = taken + 1;
      if (host_valid) errors = errors + 1;
    end
    if (!back_valid || back_ready) begin
      back_valid <= taken < put && (gaps == 0 || $urandom % 3 == 0);
      back_data  <= held[taken % 4096];
      back_last  <= held_last[taken % 4096];
      back_user  <= spoil == 5 && taken < put && taken / cells == 100 && held_last[taken % 4096];
    end
  end

  // ---------------------------------------------------------------- packets of the bridge, of two cells of ones
  logic second = 1'b0, speaking = 1'b0;
  assign bridge_last = second;
  assign bridge_data = second ? {CellBits{1'b1}} : {{(CellBits - 1){1'b0}}, 1'b1} << xt_pkg::HdrLenLsb;
  always @(posedge clk) begin
    if (bridge_valid && bridge_ready) second <= ~second;
    bridge_valid <= speaking | second | (bridge_valid & ~bridge_ready);
  end

  task write(input logic [15:0] register, input logic [31:0] value);
    @(negedge clk);
    we      = 1'b1;
    address = {4'd0, register[6:2]};
    wdata   = value;
    @(negedge clk);
    we = 1'b0;
  endtask

  task write_table(input int column, input logic [31:0] value);
    @(negedge clk);
    table_we = 1'b1;
    address  = column;
    wdata    = value;
    @(negedge clk);
    table_we = 1'b0;
  endtask

  task say(input string name, input logic [15:0] register);
    @(negedge clk);
    address = {4'd0, register[6:2]};
    @(negedge clk);
    $display("%s %0d", name, rdata);
  endtask

  logic [31:0] control;
  initial begin
    if (!$value$plusargs("spoil=%d", spoil)) spoil = 0;
    if ($value$plusargs("table=%s", file)) $readmemh(file, words);
    if (!$value$plusargs("pes=%d", pes)) pes = 0;
    if ($value$plusargs("uniform=%d", uniform)) pes = uniform;
    if (!$value$plusargs("packets=%d", wanted)) wanted = 400;
    if (!$value$plusargs("rate=%d", rate)) rate = 65535;
    if (!$value$plusargs("cells=%d", cells)) cells = 1;
    if (!$value$plusargs("drift=%d", drift)) drift = 0;
    if (!$value$plusargs("step=%d", step)) step = 0;
    if (!$value$plusargs("gaps=%d", gaps)) gaps = 0;
    for (int i = 0; i < Columns; i++) histogram[i] = 0;
    #100 rst_n = 1'b1;
    control = 32'd2 | ((uniform != 0) << 3) | ((pes > uniform) << 4) | ((cells - 1) << 16);
    for (int i = 0; i < Columns; i++) if (pes > uniform) write_table(i, words[i]);
    write(xt_bridge_pkg::RegTrafficTo, (uniform != 0) ? uniform : Own);
    write(xt_bridge_pkg::RegTrafficFrom, Own);
    write(xt_bridge_pkg::RegTrafficRate, rate);
    write(xt_bridge_pkg::RegTrafficLimit, wanted);
    write(xt_bridge_pkg::RegTrafficControl, control | 32'd4);
    write(xt_bridge_pkg::RegTrafficDrift, drift);
    say("drift", xt_bridge_pkg::RegTrafficDrift);
    say("clock", xt_bridge_pkg::RegTrafficClock);
    $display("cycle %0d", cycle);
    speaking = 1'b1;
    repeat (50) @(posedge clk);
    write(xt_bridge_pkg::RegTrafficControl, control | 32'd1);
    for (int i = 0; i < 60000 + 10 * wanted && packets < wanted; i++) begin
      @(posedge clk);
      if (packets == wanted / 2) pauses = spoil != 0;
    end
    if (step != 0) write(xt_bridge_pkg::RegTrafficClock, step);
    write(xt_bridge_pkg::RegTrafficControl, control);
    repeat (5000) @(posedge clk);
    if (bridge_packets < 10) errors = errors + 1;
    for (int i = 0; i < Columns; i++) if (i < pes && i != Own) $display("to%0d %0d", i, histogram[i]);
    $display("seen %0d", packets);
    $display("cycles %0d", end_cycle - begin_cycle);
    say("sent", xt_bridge_pkg::RegTrafficSent);
    say("came", xt_bridge_pkg::RegTrafficCame);
    say("sent_sum", xt_bridge_pkg::RegTrafficSentSum);
    say("came_sum", xt_bridge_pkg::RegTrafficCameSum);
    say("wrong", xt_bridge_pkg::RegTrafficWrong);
    say("stray", xt_bridge_pkg::RegTrafficStray);
    say("range", xt_bridge_pkg::RegTrafficRange);
    say("latency", xt_bridge_pkg::RegTrafficLatency);
    say("latency_high", xt_bridge_pkg::RegTrafficLatencyHigh);
    say("clock_then", xt_bridge_pkg::RegTrafficClock);
    $display("cycle_then %0d", cycle);
    $display("passed %0d\nleast %0d\ngreatest %0d", latency, least, greatest);
    $display("errors %0d", errors);
    $finish;
  end
endmodule

`default_nettype wire
