// SPDX-License-Identifier: Apache-2.0
//
// Clock of a part that may rest. With XT_CLOCK_GATES the part has the clock in reset, while busy_i is set, and for Linger
// cycles more; a simulator skips a part without clock. In hardware, and by default, the part always has the clock. Only a part
// in which nothing moves when it has been idle for Linger cycles may have a gate.
//
// XT_CLOCK_GATES is for a simulation whose inputs change before the clock falls, as those of sim/cosim do.
//
// Latency: busy_i is looked at when the clock falls, and works on the next rising edge.
// Speed: no logic in hardware.
`default_nettype none

module xt_clock_gate #(
  /// Cycles with clock after the last with busy_i.
  parameter int Linger = 8
) (
  /// Clock.
  input  logic clk_i,
  /// Reset, active low, synchronous.
  input  logic rst_ni,
  /// The part has something to do in this cycle.
  input  logic busy_i,
  /// Clock of the part.
  output logic clk_o
);

  if (xt_pkg::ClockGates != 0) begin : g_gate
    logic              on_q;
    logic [Linger-1:0] recent_q;
    always_ff @(negedge clk_i) begin
      on_q     <= !rst_ni || busy_i || recent_q != '0;
      recent_q <= Linger'({recent_q, busy_i});
    end
    assign clk_o = clk_i & on_q;
  end else begin : g_always
    assign clk_o = clk_i;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = rst_ni | busy_i;
    // verilator lint_on UNUSEDSIGNAL
  end

endmodule

`default_nettype wire
