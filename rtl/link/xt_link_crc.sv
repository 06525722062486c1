// SPDX-License-Identifier: Apache-2.0
//
// CRC of a word: two interleaved CRC-16s, polynomial 0x3d65, one of the even bits and one of the odd bits. Each CRC
// takes its bits highest first, starts from all ones, and does not invert its result. Its result makes the even or the
// odd bits of crc_o. Both together are one CRC-32, whose polynomial is 0x3d65 in x squared.
//
// The CRC finds every error of up to 5 bits: each half finds up to 5 wrong bits in 135 bits and its own 16.
// The CRC finds every burst of up to 32 bits, highest bit of the word first and the CRC last: each half has 16 of them
// at most. tests/rtl/link checks both. CRC-32C finds the same errors, but each bit of CRC-32C depends on twice as many
// bits of the word.
//
// Latency: combinational. Each bit of the result is the parity of about a quarter of the word's bits.
// Speed: for 180 bits a tree of 45 inputs: 3 levels of LUTs. In hardware (XT_SYNTHESIS) groups of CRC bits
// share common sums. The sharing halves the LUTs and adds no level. A simulator has an instruction for the
// parity of a word, and takes bit by bit.
`default_nettype none

module xt_link_crc #(
  /// Bits of the word.
  parameter int Bits = 64,
  /// Bits of each half of the CRC that share sums, at most 8; 1 for none.
`ifdef XT_SYNTHESIS
  parameter int Group = 4
`else
  parameter int Group = 1
`endif
) (
  /// The word is valid. Otherwise the result does not matter, and a simulator skips the computation.
  input  logic            valid_i,
  /// The word.
  input  logic [Bits-1:0] data_i,
  /// CRC of the word.
  output logic [    31:0] crc_o
);

  localparam logic [31:0] Polynomial = 32'h05511411;

  if (Group < 1 || Group > 8) begin : g_illegal
    xt_link_crc_group_must_be_1_to_8 i_illegal ();
  end
  if (Bits > 270) begin : g_illegal_bits
    xt_link_crc_finds_errors_in_270_bits_at_most i_illegal ();
  end

  // Bits of the word on which a bit of the CRC depends; bit b's from bit b*Bits on. Bit n of the word has n bits behind it in
  // the CRC's order.
  function automatic logic [Bits*32-1:0] masks();
    logic [31:0] crc;
    crc = Polynomial;
    for (int n = 0; n < Bits; n++) begin
      for (int b = 0; b < 32; b++) masks[b*Bits+n] = crc[b];
      crc = {crc[30:0], 1'b0} ^ (Polynomial & {32{crc[31]}});
    end
  endfunction

  // The CRC of zeros.
  function automatic logic [31:0] zeros(input logic [31:0] ones);
    zeros = ones;
    for (int n = 0; n < Bits; n++) zeros = {zeros[30:0], 1'b0} ^ (Polynomial & {32{zeros[31]}});
  endfunction

  localparam logic [Bits*32-1:0] Masks = masks();
  localparam logic [31:0] Start = zeros('1);

  if (Group == 1) begin : g_alone
    always_comb begin
      crc_o = '0;
      if (valid_i) begin
        for (int b = 0; b < 32; b++) crc_o[b] = (^(data_i & Masks[b*Bits+:Bits])) ^ Start[b];
      end
    end
  end else begin : g_shared
    // Bits that share sums are all even or all odd.
    for (genvar g = 0; g < 16; g = g + Group) begin : g_group
      localparam int Width = (g + Group <= 16) ? Group : 16 - g;
      for (genvar o = 0; o < 2; o++) begin : g_half
        // Sum `w` is that of the bits on which just the bits of the CRC that are set in w depend.
        logic [(1<<Width)-1:1] sums;
        for (genvar w = 1; w < (1 << Width); w++) begin : g_sum
          logic [Bits-1:0] members;
          always_comb begin
            members = data_i;
            for (int b = 0; b < Width; b++)
              members = members & (w[b] ? Masks[(2*(g+b)+o)*Bits+:Bits] : ~Masks[(2*(g+b)+o)*Bits+:Bits]);
          end
          assign sums[w] = ^members;
        end
        logic [Width-1:0] crc;
        always_comb begin
          crc = '0;
          for (int w = 1; w < (1 << Width); w++) begin
            for (int b = 0; b < Width; b++) crc[b] = crc[b] ^ (w[b] & sums[w]);
          end
        end
        for (genvar b = 0; b < Width; b++) begin : g_bit
          assign crc_o[2*(g+b)+o] = crc[b] ^ Start[2*(g+b)+o];
        end
      end
    end
    // verilator lint_off UNUSEDSIGNAL
    wire unused = valid_i;
    // verilator lint_on UNUSEDSIGNAL
  end

endmodule

`default_nettype wire
