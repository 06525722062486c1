// SPDX-License-Identifier: Apache-2.0
//
// One byte step of the CRC-32 of a frame (as Ethernet and zlib), with a reflected register: bit 0 of the byte is first.
//
// Latency: combinational.
// Speed: at most 8 inputs per bit of the register.
`default_nettype none

module xt_bridge_crc (
  /// The register before the byte.
  input  logic [31:0] crc_i,
  /// The byte.
  input  logic [ 7:0] byte_i,
  /// The register after the byte.
  output logic [31:0] crc_o
);

  always @* begin
    crc_o = crc_i ^ {24'd0, byte_i};
    for (int b = 0; b < 8; b++) crc_o = {1'b0, crc_o[31:1]} ^ (crc_o[0] ? xt_bridge_pkg::CrcPolynomial : 32'd0);
  end

endmodule

`default_nettype wire
