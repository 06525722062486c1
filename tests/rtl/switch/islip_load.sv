// SPDX-License-Identifier: Apache-2.0
//
// Single cells to random outputs at full load, through xt_islip alone: an input holds up to Room cells, in a queue per output.
// The bench says how many cells leave in a thousand turns of all outputs, once the pointers have settled.
`timescale 1ns / 1ps
`default_nettype none

module islip_load #(
  parameter int Ports = 7,
  /// Inputs send to the output of their own number too.
  parameter int Own = 0,
  parameter int Iterations = 1,
  parameter int Seed = 1
);

  localparam int Room = 18 * Ports;  // cells of an input
  localparam int Warm = 600, Turns = 1400;

  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  logic [Ports*Ports-1:0] request, match;

  xt_islip #(
    .Inputs    (Ports),
    .Outputs   (Ports),
    .Iterations(Iterations)
  ) i_islip (
    .clk_i      (clk),
    .rst_ni     (rst_n),
    .request_i  (request),
    .input_free_i ({Ports{1'b1}}),
    .output_free_i({Ports{1'b1}}),
    .gives_way_i('0),
    .match_o    (match)
  );

  int waiting[Ports*Ports];
  int held[Ports];
  int random = Seed, left = 0, to;

  initial begin
    request = '0;
    for (int q = 0; q < Ports * Ports; q++) waiting[q] = 0;
    for (int i = 0; i < Ports; i++) held[i] = 0;
    repeat (2) @(posedge clk);
    #1 rst_n = 1'b1;
    for (int turn = 0; turn < Warm + Turns; turn++) begin
      for (int i = 0; i < Ports; i++) begin
        to = $unsigned($random(random)) % (Ports - 1 + Own);
        if (held[i] < Room) begin
          to = (i + to + 1 - Own) % Ports;
          waiting[i*Ports+to] = waiting[i*Ports+to] + 1;
          held[i] = held[i] + 1;
        end
      end
      for (int q = 0; q < Ports * Ports; q++) request[q] = waiting[q] != 0;
      @(negedge clk);
      for (int q = 0; q < Ports * Ports; q++) begin
        if (match[q]) begin
          waiting[q] = waiting[q] - 1;
          held[q/Ports] = held[q/Ports] - 1;
          if (turn >= Warm) left = left + 1;
        end
      end
      @(posedge clk);
      #1;
    end
    $display("%0d", left * 1000 / (Turns * Ports));
    $finish;
  end

endmodule

`default_nettype wire
