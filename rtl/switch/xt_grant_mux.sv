// SPDX-License-Identifier: Apache-2.0
//
// Grant mux of one input: selects the queue that the input serves. The queue was chosen beforehand for each
// output, and the match selects among these choices. Without a match the input's own queue (illegal route or escape) is
// served.
//
// Latency: combinational.
// Speed: the match arrives last, from the middle of the card; three levels of logic are behind the match.
// Synthesis of a large card maps this module apart, so that the match stays out of the logic before this module.
`default_nettype none

module xt_grant_mux #(
  /// Number of outputs.
  parameter int Outputs = 4,
  /// Outputs that can be matched.
  parameter logic [Outputs-1:0] Allowed = {Outputs{1'b1}},
  /// Bits of a VC number.
  parameter int VcBits = 2,
  /// Bits of a queue's number: the output, and VcBits of the VC.
  parameter int QueueBits = 4
) (
  /// Matched output, one-hot; zero for none.
  input  logic [       Outputs-1:0] match_i,
  /// Outputs for which a queue may go.
  input  logic [       Outputs-1:0] any_i,
  /// VC of the chosen queue, per output.
  input  logic [Outputs*VcBits-1:0] vc_i,
  /// The head of the chosen queue comes from the next-packet memory (head_from_next), per output.
  input  logic [       Outputs-1:0] head_from_next_i,
  /// A queue goes without a match.
  input  logic                      own_i,
  /// Number of the own queue, whether the queue is served or not; zero for none.
  input  logic [     QueueBits-1:0] own_queue_i,
  /// The same of the own queue.
  input  logic                      own_from_next_i,
  /// A queue is served.
  output logic                      valid_o,
  /// By this output, one-hot; zero without a match.
  output logic [       Outputs-1:0] output_o,
  /// VC of the cell.
  output logic [        VcBits-1:0] vc_o,
  /// Number of the served queue.
  output logic [     QueueBits-1:0] queue_o,
  /// The same of the served queue.
  output logic                      head_from_next_o
);

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips a mux without a match
`endif

  logic [QueueBits-VcBits-1:0] number;

  logic [Outputs-1:0] match;
  assign match = match_i & Allowed;

  // Why always @*: rtl/README.md.
  always @* begin : choose
    int o;
    o = 0;
    number = '0;
    vc_o   = '0;
    if (NoSkip || match != '0) begin
      for (o = 0; o < Outputs; o = o + 1) begin
        if (match[o]) number = number | o[QueueBits-VcBits-1:0];
        vc_o = vc_o | (vc_i[o*VcBits+:VcBits] & {VcBits{match[o]}});
      end
    end
  end
  assign output_o         = match & any_i;
  assign valid_o          = own_i | (output_o != '0);
  assign head_from_next_o = own_from_next_i | ((match & head_from_next_i) != '0);
  // Nothing is matched while own_queue_i is not zero.
  assign queue_o    = own_queue_i | {number, vc_o};

endmodule

`default_nettype wire
