// SPDX-License-Identifier: Apache-2.0
//
// Corrects one wrong bit of a stored field of a table entry, in data or code, by its syndrome (see xt_table_code).
//
// Latency: combinational.
// Speed: a comparison of 6 bits per bit.
`default_nettype none

module xt_table_correct #(
  /// Bits of data.
  localparam int DataBits = xt_pkg::EntryTcBits,
  /// Bits of code and data.
  localparam int StoredBits = DataBits + xt_pkg::EntryCodeBits
) (
  /// Stored code and data.
  input  logic [           StoredBits-1:0] stored_i,
  /// Syndrome of data and code.
  input  logic [xt_pkg::EntryCodeBits-1:0] syndrome_i,
  /// Code and data with the wrong bit inverted; unchanged if no bit or more than one bit is wrong.
  output logic [           StoredBits-1:0] stored_o,
  /// One bit was wrong.
  output logic                             corrected_o,
  /// Bits are wrong and were not corrected.
  output logic                             uncorrectable_o
);

  logic [StoredBits-1:0] wrong;

  always_comb begin
    wrong = '0;
    if (xt_pkg::NoSkip != 0 || syndrome_i != '0) begin
      for (int d = 0; d < DataBits; d++) wrong[d] = syndrome_i == xt_pkg::EntryColumns[d*8+:xt_pkg::EntryCodeBits];
      for (int c = 0; c < xt_pkg::EntryCodeBits; c++) wrong[DataBits+c] = syndrome_i == xt_pkg::EntryCodeBits'(1 << c);
    end
  end

  assign stored_o        = stored_i ^ wrong;
  assign corrected_o     = wrong != '0;
  assign uncorrectable_o = syndrome_i != '0 && !corrected_o;

endmodule

`default_nettype wire
