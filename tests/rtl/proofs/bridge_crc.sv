// SPDX-License-Identifier: Apache-2.0
//
// xt_bridge_crc is CRC-32 with the bits of a byte lowest first. Four bytes bring the register to the residue
// if and only if they are the CRC of the bytes before.
`default_nettype none

module bridge_crc_proof (
  input logic [31:0] before_i,
  input logic [31:0] last_i
);

  logic [31:0] after[5];
  assign after[0] = before_i;

  for (genvar b = 0; b < 4; b++) begin : g_byte
    xt_bridge_crc i_crc (
      .crc_i (after[b]),
      .byte_i(last_i[8*b+:8]),
      .crc_o (after[b+1])
    );
  end

  // One byte as a division: x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1.
  function automatic logic [31:0] divided(input logic [31:0] register, input logic [7:0] data);
    logic [31:0] straight;
    for (int i = 0; i < 32; i++) straight[i] = register[31-i];
    for (int i = 0; i < 8; i++)
      straight = {straight[30:0], 1'b0} ^ ((straight[31] ^ data[i]) ? 32'h04c11db7 : 32'h0);
    for (int i = 0; i < 32; i++) divided[i] = straight[31-i];
  endfunction

  always_comb begin
    it_is_crc_32 : assert (after[1] == divided(before_i, last_i[7:0]));
    residue_means_a_good_crc : assert ((after[4] == xt_bridge_pkg::CrcResidue) == (last_i == ~before_i));
  end

endmodule

`default_nettype wire
