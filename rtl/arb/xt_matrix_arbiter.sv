// SPDX-License-Identifier: Apache-2.0
//
// Matrix arbiter: the winner is the requester that no other requester precedes.
// xt_round_robin_order makes the order of a round robin. The caller keeps the order in registers in place of a pointer,
// which saves the decoder of the pointer.
//
// Fairness: as fair as the order that the caller gives.
// Latency: combinational.
// Speed: two levels of logic for up to seven requesters. Every requester looks at all others at once.
`default_nettype none

module xt_matrix_arbiter #(
  /// Number of requesters.
  parameter int Width = 4,
  /// Pairs of requesters; pair j*(j-1)/2 + i is that of i and j, i < j.
  localparam int Pairs = (Width > 1) ? Width * (Width - 1) / 2 : 1
) (
  /// Requests.
  input  logic [Width-1:0] request_i,
  /// Of each pair: the higher one comes first. There is no pair of one requester.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [Pairs-1:0] order_i,
  // verilator lint_on UNUSEDSIGNAL
  /// The winner, one-hot; zero without a request.
  output logic [Width-1:0] grant_o
);

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips an arbiter without a request
`endif

  // Who does not request is not looked at: simulators skip that.
  logic [Width-1:0] ahead;  // requesters that come before the one looked at
  // Why always @*: rtl/README.md.
  always @* begin : arbitrate
    int i, j;
    i = 0;
    j = 0;
    grant_o = '0;
    ahead   = '0;
    if (NoSkip || request_i != '0) begin
      for (i = 0; i < Width; i = i + 1) begin
        ahead = '0;
        if (request_i[i]) begin
          for (j = 0; j < Width; j = j + 1) begin
            if (j < i) ahead[j] = ~order_i[i*(i-1)/2+j];
            if (j > i) ahead[j] = order_i[j*(j-1)/2+i];
          end
          grant_o[i] = (request_i & ahead) == '0;
        end
      end
    end
  end

endmodule

`default_nettype wire
