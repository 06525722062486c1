// SPDX-License-Identifier: Apache-2.0
//
// The code of a TC's field of a table entry: Hsiao's code with 6 bits for 16 bits of data, which corrects one wrong bit
// and detects two. The code of 0 is 0. A stored field is {code, data}. Its syndrome is the exclusive OR of its code and
// the code of its data: 0 if no bit is wrong. One wrong bit makes an odd number of ones in the syndrome. Two make an even
// number above 0.
//
// Latency: combinational.
// Speed: an exclusive OR of 8 bits.
`default_nettype none

module xt_table_code (
  /// Data.
  input  logic [  xt_pkg::EntryTcBits-1:0] data_i,
  /// Code of the data.
  output logic [xt_pkg::EntryCodeBits-1:0] code_o
);

  for (genvar c = 0; c < xt_pkg::EntryCodeBits; c++) begin : g_code
    logic [xt_pkg::EntryTcBits-1:0] members;
    for (genvar d = 0; d < xt_pkg::EntryTcBits; d++) begin : g_member
      assign members[d] = xt_pkg::EntryColumns[d*8+c];
    end
    assign code_o[c] = ^(data_i & members);
  end

endmodule

`default_nettype wire
