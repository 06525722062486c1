// SPDX-License-Identifier: Apache-2.0
//
// Check word of a word: 32 sums modulo 2, those of a sparse parity-check code.
//
// Number the bits of the word from 0, the highest first. 45 bits in a row make a block, four blocks make a group.
// Bit n of block q enters place (n + FirstTurns[q]) mod 45 of its group's first sums, and place (n + SecondTurns[q])
// mod 45 of its group's second sums. A first sum enters three bits of the check word, a second sum enters two others:
// those of a mask, turned left by the place. Places from 32 on have a mask of their own. The check word of zeros is
// 0x0000ffff. So wires that are stuck make no frame that is right.
//
// The check word finds every error of up to 5 bits, for each bit of the word enters 5 of its bits, and no two or four bits of
// a frame cancel out. It finds every burst of up to 28 bits, with the check word above the word. Of all other errors one
// in 2^32 passes. tests/rtl/link tries all errors of both kinds. A search found the turns and the masks.
// Two interleaved CRC-16s find the same 5 bits and bursts of 32, for nearly twice the logic.
//
// Latency: combinational.
// Speed: up to 180 bits a sum has 4 inputs, and a bit of the check word about 7 sums: 3 levels of LUTs. In hardware
// (XT_SYNTHESIS) the sums are there. A simulator has an instruction for the parity of a word, and takes bit by bit.
`default_nettype none

module xt_link_check #(
  /// Bits of the word.
  parameter int Bits = 64,
  /// The sums are computed once, and each bit of the check word takes its own from them.
`ifdef XT_SYNTHESIS
  parameter bit Shared = 1'b1
`else
  parameter bit Shared = 1'b0
`endif
) (
  /// The word is valid. Otherwise the result does not matter, and a simulator skips the computation.
  input  logic            valid_i,
  /// The word.
  input  logic [Bits-1:0] data_i,
  /// Check word of the word.
  output logic [    31:0] check_o
);

  localparam int Block = 45;
  localparam int Groups = (Bits + 4 * Block - 1) / (4 * Block);
  localparam logic [31:0] Zeros = 32'h0000_ffff;

  if (Bits > 6 * Block) begin : g_illegal_bits
    xt_link_check_finds_errors_in_270_bits_at_most i_illegal ();
  end

  // Block 0 last.
  localparam logic [6*8-1:0] FirstTurns = {8'd19, 8'd0, 8'd13, 8'd7, 8'd31, 8'd0};
  localparam logic [6*8-1:0] SecondTurns = {8'd3, 8'd16, 8'd28, 8'd27, 8'd23, 8'd24};
  // Of group 1 places from 32 on, group 1 places below, group 0 places from 32 on, group 0 places below.
  localparam logic [4*32-1:0] FirstMasks = 128'h20002040_10000201_08104000_20008001;
  localparam logic [4*32-1:0] SecondMasks = 128'h00400400_10100000_00000082_80080000;

  // Bits of the word on which a bit of the check word depends; bit b's from bit b*Bits on. No bit enters one twice.
  function automatic logic [Bits*32-1:0] masks();
    int f, s;
    for (int i = 0; i < Bits * 32; i++) masks[i] = 1'b0;
    for (int n = 0; n < Bits; n++) begin
      f = (n + 32'(FirstTurns[n/Block*8+:8])) % Block;
      s = (n + 32'(SecondTurns[n/Block*8+:8])) % Block;
      for (int b = 0; b < 32; b++) begin
        if (FirstMasks[(n/(4*Block)*2+f/32)*32+b]) masks[(f+b)%32*Bits+Bits-1-n] = 1'b1;
        if (SecondMasks[(n/(4*Block)*2+s/32)*32+b]) masks[(s+b)%32*Bits+Bits-1-n] = 1'b1;
      end
    end
  endfunction

  if (Shared) begin : g_shared
    logic [Groups*Block-1:0] first, second;
    always @* begin
      first  = '0;
      second = '0;
      for (int n = 0; n < Bits; n++) begin
        first[n/(4*Block)*Block+(n+32'(FirstTurns[n/Block*8+:8]))%Block] ^= data_i[Bits-1-n];
        second[n/(4*Block)*Block+(n+32'(SecondTurns[n/Block*8+:8]))%Block] ^= data_i[Bits-1-n];
      end
    end
    always @* begin
      check_o = Zeros;
      for (int g = 0; g < Groups; g++) begin
        for (int s = 0; s < Block; s++) begin
          for (int b = 0; b < 32; b++) begin
            check_o[(s+b)%32] ^= (first[g*Block+s] & FirstMasks[(2*g+s/32)*32+b])
                               ^ (second[g*Block+s] & SecondMasks[(2*g+s/32)*32+b]);
          end
        end
      end
    end
    // verilator lint_off UNUSEDSIGNAL
    wire unused = valid_i;
    // verilator lint_on UNUSEDSIGNAL
  end else begin : g_alone
    localparam logic [Bits*32-1:0] Masks = masks();

    // Why always @*: rtl/README.md.
    always @* begin : check_alone
      int b;
      b = 0;
      check_o = Zeros;
      if (valid_i) begin
        for (b = 0; b < 32; b = b + 1) check_o[b] = (^(data_i & Masks[b*Bits+:Bits])) ^ Zeros[b];
      end
    end
  end

endmodule

`default_nettype wire
