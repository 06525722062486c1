// SPDX-License-Identifier: Apache-2.0
//
// The rules of sim/cocotb/rules hold.
// Registers between two ends of a stream. The sender keeps the rules, so what the slice has not taken stays. What is within is offered,
// also to a receiver that is not ready.
`default_nettype none

module axi_stream_slice_proof (
  input logic       clk_i,
  input logic       valid_i,
  input logic       ready_i,
  input logic [7:0] data_i
);

  logic rst_n = 1'b0, valid, ready;
  logic [7:0] data;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  xt_stream_slice i_dut (.clk_i, .rst_ni(rst_n), .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data));
  axi_stream_rules #(.Width(8)) i_rules (.clk_i, .rst_ni(rst_n), .tvalid_i(valid), .tready_i(ready_i), .beat_i(data));

  // Beats leave in their order: of two chosen beats in a row the second follows the first.
  logic [2:0] in_q = '0, out_q = '0, chosen_q = '0;
  logic [7:0] kept_q = '0;
  logic armed_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (rst_n && valid_i && ready) begin
      in_q <= in_q + 1'b1;
      if (!armed_q && data_i[0]) begin
        armed_q  <= 1'b1;
        chosen_q <= in_q;
        kept_q   <= data_i;
      end
    end
    if (rst_n && valid && ready_i) begin
      out_q <= out_q + 1'b1;
      if (armed_q && out_q == chosen_q) armed_q <= 1'b0;
    end
  end
  always_comb if (rst_n && armed_q && valid && out_q == chosen_q) slice_gives_what_came : assert (data == kept_q);
  always_comb if (rst_n && in_q != out_q) the_offer_waits_for_no_one : assert (valid);

endmodule

`default_nettype wire
