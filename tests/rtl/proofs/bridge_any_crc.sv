// SPDX-License-Identifier: Apache-2.0
//
// Replaces xt_bridge_crc, and the part of xt_bridge_pkg that framing uses, in proofs of other properties than
// the CRC. Bit 0 of the register is the parity of the bytes' lowest bits. As with the real CRC, four bytes
// that are its inverse bring the register to its residue.
`default_nettype none

package xt_bridge_pkg;
  localparam logic [31:0] Flag = 32'h0000007e;
  localparam logic [31:0] Escape = 32'h0000007d;
  localparam logic [31:0] EscapeMask = 32'h00000020;
  localparam logic [31:0] CrcResidue = 32'hffffffff;
endpackage

module xt_bridge_crc (
  input  logic [31:0] crc_i,
  input  logic [ 7:0] byte_i,
  output logic [31:0] crc_o
);

  assign crc_o = {crc_i[31:1], crc_i[0] ^ byte_i[0]};
  wire unused = ^byte_i[7:1];

endmodule

`default_nettype wire
