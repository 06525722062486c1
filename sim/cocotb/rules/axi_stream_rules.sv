// SPDX-License-Identifier: Apache-2.0
//
// The rules of AXI4-Stream for who sends: a beat that is offered stays, unaltered, until it is taken. Nothing is offered in
// reset's first cycle after its end, and nothing offered is unknown.
`default_nettype none

module axi_stream_rules #(
  /// Bits of a beat: tdata, tlast and tuser.
  parameter int Width  = 8,
  /// 1: the rules are asserted, otherwise assumed.
  parameter bit Sender = 1'b1
) (
  /// Clock.
  input logic             clk_i,
  /// Reset, active low.
  input logic             rst_ni,
  /// The sender's tvalid.
  input logic             tvalid_i,
  /// The receiver's tready.
  input logic             tready_i,
  /// The beat.
  input logic [Width-1:0] beat_i
);

  logic             waits_q = 1'b0, reset_q = 1'b1;
  logic [Width-1:0] beat_q;

  always_ff @(posedge clk_i) begin
    reset_q <= ~rst_ni;
    waits_q <= rst_ni & tvalid_i & ~tready_i;
    beat_q  <= beat_i;
    if (rst_ni) begin
      if (Sender) begin
        if (reset_q) axi_stream_begins_without_a_beat : assert (!tvalid_i);
        if (waits_q) axi_stream_offer_stays : assert (tvalid_i);
        if (waits_q) axi_stream_beat_stays : assert (beat_i == beat_q);
      end
`ifdef YOSYS
      if (!Sender) assume ((!reset_q | !tvalid_i) & (!waits_q | (tvalid_i & beat_i == beat_q)));
`else
      axi_stream_handshake_is_known : assert ((tvalid_i ^ tready_i) !== 1'bx);
      if (tvalid_i) axi_stream_beat_is_known : assert (^beat_i !== 1'bx);
`endif
    end
  end

endmodule

`default_nettype wire
