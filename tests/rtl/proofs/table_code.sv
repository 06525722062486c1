// SPDX-License-Identifier: Apache-2.0
//
// xt_table_code and xt_table_correct, for a stored field of any data. One inverted bit, of data or code, is
// corrected. Two inverted bits are noticed, and the field stays unchanged.
`default_nettype none

module table_code_proof #(
  localparam int DataBits = xt_pkg::EntryTcBits,
  localparam int StoredBits = DataBits + xt_pkg::EntryCodeBits
) (
  input logic                clk_i,
  input logic [DataBits-1:0] data_i,
  input logic [         4:0] first_i,  // bits to be inverted; from StoredBits on: none
  input logic [         4:0] second_i
);

  logic                             given = 1'b0;
  logic [             DataBits-1:0] data;
  logic [                      4:0] first, second;
  logic [           StoredBits-1:0] stored, received, mended;
  logic [xt_pkg::EntryCodeBits-1:0] code, received_code, syndrome;
  logic                             corrected, uncorrectable, one, two;

  always_ff @(posedge clk_i) begin
    given  <= 1'b1;
    data   <= data_i;
    first  <= first_i;
    second <= second_i;
  end

  xt_table_code i_encode (
    .data_i(data),
    .code_o(code)
  );

  assign stored = {code, data};
  for (genvar b = 0; b < StoredBits; b++) begin : g_bit
    assign received[b] = stored[b] ^ (first == b[4:0]) ^ (second == b[4:0]);
  end

  xt_table_code i_check (
    .data_i(received[DataBits-1:0]),
    .code_o(received_code)
  );
  assign syndrome = received_code ^ received[StoredBits-1:DataBits];

  xt_table_correct i_dut (
    .stored_i       (received),
    .syndrome_i     (syndrome),
    .stored_o       (mended),
    .corrected_o    (corrected),
    .uncorrectable_o(uncorrectable)
  );

  assign one = (first < 5'(StoredBits)) != (second < 5'(StoredBits));
  assign two = first < 5'(StoredBits) && second < 5'(StoredBits) && first != second;

  always_comb begin
    if (given) begin
      if (one) begin
        one_is_mended : assert (mended == stored && corrected && !uncorrectable && syndrome != '0);
      end else if (two) begin
        two_are_noticed : assert (mended == received && !corrected && uncorrectable && syndrome != '0);
      end else begin
        none_is_none : assert (mended == stored && !corrected && !uncorrectable && syndrome == '0);
      end
    end
  end

endmodule

`default_nettype wire
