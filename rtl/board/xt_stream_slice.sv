// SPDX-License-Identifier: Apache-2.0
//
// Registers between two ends of a stream, in both directions: no combinational path leads through.
//
// Latency: a cycle. A beat per cycle.
// Speed: a choice of one out of two beats by a register.
`default_nettype none

module xt_stream_slice #(
  /// Bits of a beat.
  parameter int Width = 8
) (
  /// Clock.
  input  logic             clk_i,
  /// Reset, active low, synchronous.
  input  logic             rst_ni,

  /// A beat comes.
  input  logic             valid_i,
  /// The offered item is taken.
  output logic             ready_o,
  /// The beat.
  input  logic [Width-1:0] data_i,

  /// A beat is offered.
  output logic             valid_o,
  /// The offered item is taken.
  input  logic             ready_i,
  /// The beat.
  output logic [Width-1:0] data_o
);

  logic [Width-1:0] spare_q;
  logic spare_valid_q;  // one came in the cycle in which the other was not taken

  assign ready_o = ~spare_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o       <= 1'b0;
      spare_valid_q <= 1'b0;
    end else if (!valid_o || ready_i) begin
      valid_o       <= valid_i | spare_valid_q;
      spare_valid_q <= 1'b0;
    end else if (valid_i) begin
      spare_valid_q <= 1'b1;
    end
    if (!valid_o || ready_i) data_o <= spare_valid_q ? spare_q : data_i;
    if (!spare_valid_q) spare_q <= data_i;
  end

endmodule

`default_nettype wire
