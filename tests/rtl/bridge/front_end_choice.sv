// SPDX-License-Identifier: Apache-2.0
//
// xt_front_ends by Icarus Verilog: three hosts say random frames at random times, some of which begin a session. What the
// bridge gets, who is answered and when it begins anew has to be what a list of all bytes that were taken says.
`default_nettype none
`timescale 1ns / 1ps

module front_end_choice;
  localparam int Fronts = 3;
  localparam int Count = 3000;  // bytes of each host at least

  int errors = 0;
  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;
  initial #100 rst_n = 1'b1;

  logic [Fronts-1:0] restart = '0, rx_valid = '0, rx_ready, tx_valid, tx_ready = '1;
  logic [8*Fronts-1:0] rx_byte = '0;
  logic [7:0] tx_byte, bridge_rx_byte, bridge_tx_byte = 8'h11;
  logic bridge_restart, bridge_rx_valid, bridge_rx_ready = 1'b0, bridge_tx_valid = 1'b0, bridge_tx_ready;

  xt_front_ends #(.Fronts(Fronts)) i_front_ends (
    .clk_i(clk), .rst_ni(rst_n), .restart_i(restart), .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_byte_i(rx_byte),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_byte_o(tx_byte), .restart_o(bridge_restart),
    .rx_valid_o(bridge_rx_valid), .rx_ready_i(bridge_rx_ready), .rx_byte_o(bridge_rx_byte), .tx_valid_i(bridge_tx_valid),
    .tx_ready_o(bridge_tx_ready), .tx_byte_i(bridge_tx_byte)
  );

  localparam logic [7:0] Flag = 8'h7e, Info = 8'h00;
  int owner = 0, sessions = 0, answers = 0, taken[Fronts];
  logic flagged[Fronts];  // the byte before was a flag
  logic claimed;
  int heard, next_owner;
  initial for (int f = 0; f < Fronts; f++) begin
    taken[f]   = 0;
    flagged[f]  = 1'b0;
  end

  always @(posedge clk) if (rst_n) begin
    claimed = 1'b0;
    heard = 0;
    for (int f = Fronts - 1; f >= 0; f--) begin
      if (f != owner && flagged[f] && rx_valid[f] && rx_byte[8*f+:8] == Info) begin
        claimed = 1'b1;
        next_owner = f;
      end
    end
    // Who is answered, and who makes the bridge begin anew.
    if (tx_valid !== (bridge_tx_valid ? 3'b001 << owner : 3'b000)) errors = errors + 1;
    if (bridge_tx_ready !== tx_ready[owner] || tx_byte !== bridge_tx_byte) errors = errors + 1;
    if (bridge_restart !== (claimed | restart[owner])) errors = errors + 1;
    if (bridge_tx_valid && bridge_tx_ready) answers = answers + 1;
    // What is taken.
    for (int f = 0; f < Fronts; f++) begin
      if (rx_valid[f] && rx_ready[f]) begin
        if (f == owner) begin
          heard = heard + 1;
          if (claimed || !bridge_rx_valid || !bridge_rx_ready || bridge_rx_byte !== rx_byte[8*f+:8]) errors = errors + 1;
        end else if (flagged[f] && rx_byte[8*f+:8] == Info) errors = errors + 1;
        flagged[f] = rx_byte[8*f+:8] == Flag;
        taken[f] = taken[f] + 1;
      end else if (f != owner && rx_valid[f] && !(flagged[f] && rx_byte[8*f+:8] == Info)) errors = errors + 1;
    end
    if (heard != ((bridge_rx_valid && bridge_rx_ready) ? 1 : 0)) errors = errors + 1;
    if (claimed) begin
      owner = next_owner;
      flagged[owner] = 1'b0;
      sessions = sessions + 1;
    end
    // What comes next: flags and the first byte of INFO more often than others.
    for (int f = 0; f < Fronts; f++) begin
      if (!rx_valid[f] || rx_ready[f]) begin
        rx_valid[f] <= #1 ($random & 3) != 0;
        case ($random & 7)
          0, 1, 2: rx_byte[8*f+:8] <= #1 Flag;
          3: rx_byte[8*f+:8] <= #1 Info;
          4: rx_byte[8*f+:8] <= #1 8'h01;
          default: rx_byte[8*f+:8] <= #1 $random;
        endcase
      end
    end
    restart <= #1 $random & $random & $random;
    bridge_rx_ready <= #1 ($random & 3) != 0;
    bridge_tx_valid <= #1 $random;
    bridge_tx_byte <= #1 $random;
    tx_ready <= #1 $random;
  end

  initial begin
    #200000;
    for (int f = 0; f < Fronts; f++) if (taken[f] < Count) errors = errors + 1;
    if (sessions < 100 || answers < 1000) errors = errors + 1;
    $display("sessions %0d answers %0d taken %0d %0d %0d errors %0d", sessions, answers, taken[0], taken[1], taken[2], errors);
    $finish;
  end
endmodule

`default_nettype wire
