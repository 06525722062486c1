// SPDX-License-Identifier: Apache-2.0
//
// The code of a table entry: Hsiao's code with 8 bits for 16 to 64 bits of data, which corrects one wrong bit
// and detects two. The code of 0 is 0. A stored word is {code, data}. Its syndrome is the exclusive OR of its code and
// the code of its data: 0 if no bit is wrong. One wrong bit makes an odd number of ones in the syndrome. Two make an even
// number above 0.
//
// Latency: combinational.
// Speed: an exclusive OR of up to 27 bits.
`default_nettype none

module xt_table_code #(
  /// Bits of data.
  parameter int DataBits = xt_pkg::EntryBits
) (
  /// Data.
  input  logic [             DataBits-1:0] data_i,
  /// Code of the data.
  output logic [xt_pkg::EntryCodeBits-1:0] code_o
);

  if (DataBits < 16 || DataBits > 64) begin : g_illegal
    xt_table_code_is_for_16_to_64_bits i_illegal ();
  end

  for (genvar c = 0; c < xt_pkg::EntryCodeBits; c++) begin : g_code
    logic [DataBits-1:0] members;
    for (genvar d = 0; d < DataBits; d++) begin : g_member
      assign members[d] = xt_pkg::EntryColumns[d*8+c];
    end
    assign code_o[c] = ^(data_i & members);
  end

endmodule

`default_nettype wire
