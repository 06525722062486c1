// SPDX-License-Identifier: Apache-2.0
//
// The CRC of a word: two interleaved CRC-16s, polynomial 0x3d65, one of the even bits and one of the odd bits. Each
// takes its bits highest first, from all ones, not inverted at the end; the bits of its result are the even or the
// odd ones of crc_o. Both together are one CRC-32 whose polynomial is theirs with x squared.
//
// It finds every error of up to 5 bits: one of the two has some of them, and finds up to 5 in 135 bits and its
// own 16. It finds every burst of up to 32 bits, highest bit of the word first and the CRC last, as each of the two
// has 16 of them at most. tests/link checks both. CRC-32C promises the same, but each of its bits depends on twice as
// many bits of the word.
//
// Latency: combinational. Each bit of the result is the parity of about a quarter of the word's bits.
// Speed: for 180 bits a tree of 45 inputs: 3 levels of LUTs. In hardware (XT_SYNTHESIS) sums of bits that several
// bits of the CRC have in common are shared, which halves the LUTs and adds no level; a simulator has an
// instruction for the parity of a word, and takes bit by bit.
`default_nettype none

module xt_link_crc #(
  /// Bits of the word.
  parameter int Bits = 64,
  /// Bits of the CRC that share sums, at most 8; 1 for none.
`ifdef XT_SYNTHESIS
  parameter int Group = 8
`else
  parameter int Group = 1
`endif
) (
  /// The word matters; without it the result does not, and a simulator has nothing to compute.
  input  logic            valid_i,
  /// The word.
  input  logic [Bits-1:0] data_i,
  /// Its CRC.
  output logic [    31:0] crc_o
);

  localparam logic [31:0] Polynomial = 32'h05511411;

  if (Group < 1 || Group > 8) begin : g_illegal
    xt_link_crc_group_must_be_1_to_8 i_illegal ();
  end
  if (Bits > 270) begin : g_illegal_bits
    xt_link_crc_finds_errors_in_270_bits_at_most i_illegal ();
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
      assign crc_o[g+:Width] = crc;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = valid_i;
      // verilator lint_on UNUSEDSIGNAL
    end
  end

endmodule

`default_nettype wire
