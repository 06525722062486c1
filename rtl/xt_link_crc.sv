// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli, polynomial 0x1EDC6F41) of a word: not reflected, the highest bit first, from all
// ones, not inverted at the end. It finds every error of up to 5 bits in words shorter than 5,000 bits, and
// every burst of up to 32 bits.
//
// Latency: combinational. Each bit of the result is the parity of about half of the word's bits.
// Speed: for 180 bits a tree of 90 inputs: 4 levels of LUTs. In hardware (XT_SYNTHESIS) sums of bits that several
// bits of the CRC have in common are shared, which halves the LUTs and adds no level; a simulator has an
// instruction for the parity of a word, and takes bit by bit.
`default_nettype none

module xt_link_crc #(
  /// Bits of the word.
  parameter int Bits = 64,
  /// Bits of the CRC that share sums, at most 8; 1 for none.
`ifdef XT_SYNTHESIS
  parameter int Group = 6
`else
  parameter int Group = 1
`endif
) (
  /// The word matters; without it the result is zero, and a simulator has nothing to compute.
  input  logic            valid_i,
  /// The word.
  input  logic [Bits-1:0] data_i,
  /// Its CRC.
  output logic [    31:0] crc_o
);

  localparam logic [31:0] Polynomial = 32'h1edc6f41;

  if (Group < 1 || Group > 8) begin : g_illegal
    xt_link_crc_group_must_be_1_to_8 i_illegal ();
  end

  // Bits of the word on which, of CRC bits `first` and those after it, just the set bits of `which` depend. Bit i
  // of the word is followed by i others.
  function automatic logic [Bits-1:0] mask(input int first, input int which);
    logic [31:0] crc;
    crc = Polynomial;
    for (int n = 0; n < Bits; n++) begin
      mask[n] = ((crc >> first) & 32'((1 << Group) - 1)) == which;
      crc     = {crc[30:0], 1'b0} ^ (Polynomial & {32{crc[31]}});
    end
  endfunction

  // The CRC of zeros.
  function automatic logic [31:0] zeros(input logic [31:0] ones);
    zeros = ones;
    for (int n = 0; n < Bits; n++) zeros = {zeros[30:0], 1'b0} ^ (Polynomial & {32{zeros[31]}});
  endfunction

  localparam logic [31:0] Start = zeros('1);

  for (genvar g = 0; g < 32; g = g + Group) begin : g_group
    localparam int Width = (g + Group <= 32) ? Group : 32 - g;
    if (Group == 1) begin : g_alone
      localparam logic [Bits-1:0] Mask = mask(g, 1);
      always_comb begin
        crc_o[g] = 1'b0;
        if (valid_i) crc_o[g] = (^(data_i & Mask)) ^ Start[g];
      end
    end else begin : g_shared
      // Kept, or the mapper would undo the sharing.
      (* keep *) logic [(1<<Width)-1:0] sums;
      assign sums[0] = 1'b0;
      for (genvar w = 1; w < (1 << Width); w++) begin : g_sum
        localparam logic [Bits-1:0] Mask = mask(g, w);
        assign sums[w] = ^(data_i & Mask);
      end
      logic [Width-1:0] crc;
      always_comb begin
        crc = Start[g+:Width];
        for (int b = 0; b < Width; b++) begin
          for (int w = 0; w < (1 << Width); w++) begin
            if (w[b]) crc[b] = crc[b] ^ sums[w];
          end
        end
      end
      assign crc_o[g+:Width] = valid_i ? crc : '0;
    end
  end

endmodule

`default_nettype wire
