// SPDX-License-Identifier: Apache-2.0
//
// Two ends of xt_phy by Icarus Verilog, with clocks 200 ppm apart. The wires' delays differ from lane to lane by some
// cycles, with jitter and bit errors. Without errors frames must arrive unaltered and in order. The link must come up
// in either direction after each has been off. A lane that was lost must find its place again. The bit error test must find
// the seeded errors.
// With CODED the lanes are codes for a serialiser: bits in a row, of which the deserialiser takes ten from anywhere.
//   +skew=N    most cycles between lanes; with CODED the bits by which the deserialiser is off
//   +errors=N  a bit in N is wrong, in one direction
`default_nettype none
`timescale 1ns / 1ps

module phy;
  localparam int Lanes = `LANES;
  localparam int Coded = `CODED;
  localparam int FrameBits = `FRAME;
  localparam int FrameCycles = (Coded != 0) ? (FrameBits + 7) / 8 + 2 : (FrameBits + Lanes - 1) / Lanes + 2;
  localparam int Latest = 32;

  int skew = 0, one_in = 0;
  int stuck = 0;  // cycles for which the last lane still gives zeros
  int errors = 0, sent = 0, got = 0, lost = 0, put_errors = 0, found_errors = 0, idles = 0;
  logic rst_n = 1'b0, b_rst_n = 1'b0, resting = 1'b0, cut = 1'b0, test = 1'b0, counting = 1'b0;

  logic a = 1'b0, b = 1'b0;
  always #10 a = ~a;
  always #10.002 b = ~b;

  logic [Lanes-1:0] a_tx, b_tx, a_rx, b_rx;
  logic a_valid = 1'b0, b_valid, unused_valid, a_up, b_up, a_locked, b_locked, b_idle, unused_idle;
  logic [FrameBits-1:0] a_frame, b_frame, unused_frame;
  logic [7:0] b_wrong, unused_wrong;

  // ---------------------------------------------------------------- wires
  // A clock goes with the data, its edges in the middle of a bit. Lane l lags by some cycles and by a part of one.
  logic [Lanes-1:0] a_line [Latest], b_line [Latest];
  logic a_clk, b_clk;
  assign #10 a_clk = a & ~cut;
  assign #10 b_clk = b;

  function automatic int lag(input int l);
    lag = (skew == 0) ? 0 : ((l * 7 + 3) % (skew + 1));
  endfunction

  // A deserialiser gives ten bits at once.
  function automatic int jitter();
    jitter = (Coded != 0) ? 0 : $urandom % 5;
  endfunction

  always @(posedge a) begin
    a_line[0] <= a_tx;
    for (int i = 1; i < Latest; i++) a_line[i] <= a_line[i-1];
  end
  always @(posedge b) begin
    b_line[0] <= b_tx;
    for (int i = 1; i < Latest; i++) b_line[i] <= b_line[i-1];
  end
  // What was sent in the last two cycles, the first bit highest.
  wire [2*Lanes-1:0] a_row = {a_line[1], a_line[0]};
  wire [2*Lanes-1:0] b_row = {b_line[1], b_line[0]};
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      logic flip = 1'b0;
      always @(posedge a) begin
        #1;
        if (l == Lanes - 1 && stuck > 0) stuck = stuck - 1;
        flip = one_in != 0 && ($urandom % one_in) == 0;
        if (flip && counting) put_errors = put_errors + 1;
        #(jitter()) b_rx[l] = (Coded != 0 ? a_row[l+skew] : a_line[lag(l)][l]) ^ flip;
        if (l == Lanes - 1 && stuck > 0) b_rx[l] = 1'b0;
      end
      always @(posedge b) begin
        #(1 + jitter()) a_rx[l] = Coded != 0 ? b_row[l+skew] : b_line[lag(l)][l];
      end
    end
  endgenerate

  xt_phy #(.Coded(Coded), .Lanes(Lanes), .FrameBits(FrameBits)) i_a (
    .clk_i(a), .rst_ni(rst_n), .tx_valid_i(a_valid), .tx_frame_i(a_frame), .rx_valid_o(unused_valid),
    .rx_frame_o(unused_frame), .test_i(test), .loop_i(1'b0), .locked_o(a_locked), .up_o(a_up), .idle_o(unused_idle),
    .wrong_o(unused_wrong), .tx_data_o(a_tx), .rx_clk_i(b_clk), .rx_data_i(a_rx)
  );
  xt_phy #(.Coded(Coded), .Lanes(Lanes), .FrameBits(FrameBits)) i_b (
    .clk_i(b), .rst_ni(b_rst_n), .tx_valid_i(1'b0), .tx_frame_i({FrameBits{1'b0}}), .rx_valid_o(b_valid),
    .rx_frame_o(b_frame), .test_i(1'b0), .loop_i(1'b0), .locked_o(b_locked), .up_o(b_up), .idle_o(b_idle),
    .wrong_o(b_wrong), .tx_data_o(b_tx), .rx_clk_i(a_clk), .rx_data_i(b_rx)
  );

  // ---------------------------------------------------------------- frames
  function automatic logic [FrameBits-1:0] value(input int i);
    for (int n = 0; n < FrameBits; n++) value[n] = ((i * 32'h9e3779b1) >> (n % 24)) ^ (n / 24);
  endfunction

  int pause = 0;
  logic sending = 1'b0;
  always @(posedge a) begin
    a_valid <= 1'b0;
    pause   <= (pause == 0) ? FrameCycles - 1 : pause - 1;
    if (pause == 0 && sending && (($urandom % 4) != 0 || sent < 100)) begin
      a_valid <= 1'b1;
      a_frame <= value(sent);
      sent    <= sent + 1;
    end
  end
  always @(posedge b) begin
    if (b_valid) begin
      if (one_in == 0 && b_frame !== value(got)) errors = errors + 1;
      got <= got + 1;
    end
    if (resting && (b_valid || b_idle || b_up || b_locked)) errors = errors + 1;
    if (b_idle && counting) begin
      found_errors = found_errors + b_wrong;
      idles = idles + 1;
    end
  end

  task wait_up(input int words);
    int left;
    left = words * FrameCycles;
    while (!(a_up && b_up) && left > 0) begin
      @(posedge a);
      left = left - 1;
    end
    if (left == 0) begin
      errors = errors + 1;
      $display("not up: locked %b %b up %b %b", a_locked, b_locked, a_up, b_up);
    end
  endtask

  initial begin
    if (!$value$plusargs("skew=%d", skew)) skew = 0;
    if (!$value$plusargs("errors=%d", one_in)) one_in = 0;
    #200 {rst_n, b_rst_n} = 2'b11;
    wait_up(400);
    $display("up after %0d words", $rtoi($realtime / 20 / FrameCycles));
    sending = 1'b1;
    repeat (300 * FrameCycles) @(posedge a);
    sending = 1'b0;
    repeat (20 * FrameCycles) @(posedge a);
    $display("sent %0d got %0d", sent, got);
    if (one_in == 0 && sent != got) errors = errors + 1;

    // The bit error test.
    test = 1'b1;
    repeat (20 * FrameCycles) @(posedge a);
    counting = 1'b1;
    repeat (400 * FrameCycles) @(posedge a);
    counting = 1'b0;
    test = 1'b0;
    $display("put %0d found %0d in %0d words", put_errors, found_errors, idles);

    // The cable is pulled, and comes back.
    cut = 1'b1;
    repeat (10 * FrameCycles) @(posedge a);
    if (a_up || b_up || b_locked) errors = errors + 1;
    cut = 1'b0;
    wait_up(400);
    sent = 0;
    got  = 0;
    sending = 1'b1;
    repeat (100 * FrameCycles) @(posedge a);
    sending = 1'b0;
    repeat (20 * FrameCycles) @(posedge a);
    if (one_in == 0 && sent != got) errors = errors + 1;
    $display("again: sent %0d got %0d", sent, got);

    // One lane is lost, and looks for its place from each of all positions; the other end receives all the while.
    for (int n = 0; n < FrameCycles && one_in == 0 && Coded == 0; n++) begin
      stuck = 20 * FrameCycles + n;
      repeat (24 * FrameCycles) @(posedge a);
      wait_up(400);
      sent = 0;
      got  = 0;
      sending = 1'b1;
      repeat (20 * FrameCycles) @(posedge a);
      sending = 1'b0;
      repeat (20 * FrameCycles) @(posedge a);
      if (sent != got) errors = errors + 1;
    end

    // A reset while the link's clock rests, in the middle of a frame: nothing is left of what came before.
    sending = 1'b1;
    repeat (7 * FrameCycles + 3) @(posedge a);
    cut     = 1'b1;
    b_rst_n = 1'b0;
    sending = 1'b0;
    repeat (8) @(posedge b);
    #1 resting = 1'b1;
    b_rst_n = 1'b1;
    repeat (20 * FrameCycles) @(posedge b);
    resting = 1'b0;
    cut     = 1'b0;
    wait_up(400);
    $display("errors %0d", errors);
    $finish;
  end
endmodule

`default_nettype wire
