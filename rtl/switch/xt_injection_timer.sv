// SPDX-License-Identifier: Apache-2.0
//
// In-transit priority: says how long the packets of one input give way. Packets from a NIC give way to packets from links,
// packets that enter a ring to those within it. An input gives way for wait_i cycles from an arrival that finds it empty,
// or from its last match. From then on the input asks as an equal, until it is matched.
//
// Bound: wait_i cycles, then the matchings that xt_islip states.
// Latency: gives_way_o is a register, and follows queued_i and matched_i by one cycle.
// Speed: a counter. matched_i arrives late and only selects what the registers load.
`default_nettype none

module xt_injection_timer #(
  /// Bits of the number of cycles.
  parameter int WaitBits = 16
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,
  /// Cycles for which a packet gives way; 0: never.
  input  logic [WaitBits-1:0] wait_i,
  /// A packet of the input is in some queue.
  input  logic                queued_i,
  /// A packet of the input is matched.
  input  logic                matched_i,
  /// The input gives way.
  output logic                gives_way_o
);

  logic [WaitBits-1:0] left_q;
  wire anew = matched_i || !queued_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q      <= '0;
      gives_way_o <= 1'b0;
    end else begin
      left_q      <= anew ? wait_i : left_q - WaitBits'(gives_way_o);
      gives_way_o <= anew ? wait_i != '0 : (left_q >> 1) != '0;
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) injection_timer_flag_is_exact : assert (gives_way_o == (left_q != '0));
  end
`endif

endmodule

`default_nettype wire
