// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli, polynomial 0x1EDC6F41) of a word: not reflected, the highest bit first, from all
// ones, not inverted at the end. It finds every error of up to 5 bits in words shorter than 5,000 bits, and
// every burst of up to 32 bits.
//
// Latency: combinational. Each bit of the result is the parity of about half of the word's bits.
// Speed: for 180 bits a tree of 90 inputs: 4 levels of LUTs.
`default_nettype none

module xt_link_crc #(
  /// Bits of the word.
  parameter int Bits = 64
) (
  /// The word matters; without it the result is zero, and a simulator has nothing to compute.
  input  logic            valid_i,
  /// The word.
  input  logic [Bits-1:0] data_i,
  /// Its CRC.
  output logic [    31:0] crc_o
);

  localparam logic [31:0] Polynomial = 32'h1edc6f41;

  // Bits of the word on which bit b of the CRC depends: bit i of the word is followed by i others.
  function automatic logic [Bits-1:0] mask(input logic [4:0] b);
    logic [31:0] crc;
    crc = Polynomial;
    for (int n = 0; n < Bits; n++) begin
      mask[n] = crc[b];
      crc     = {crc[30:0], 1'b0} ^ (Polynomial & {32{crc[31]}});
    end
  endfunction

  // The CRC of zeros.
  function automatic logic [31:0] zeros(input logic [31:0] ones);
    zeros = ones;
    for (int n = 0; n < Bits; n++) zeros = {zeros[30:0], 1'b0} ^ (Polynomial & {32{zeros[31]}});
  endfunction

  localparam logic [31:0] Start = zeros('1);

  for (genvar b = 0; b < 32; b++) begin : g_bit
    localparam logic [Bits-1:0] Mask = mask(b[4:0]);
    always_comb begin
      crc_o[b] = 1'b0;
      if (valid_i) crc_o[b] = (^(data_i & Mask)) ^ Start[b];
    end
  end

endmodule

`default_nettype wire
