// SPDX-License-Identifier: Apache-2.0
//
// In-transit priority: says how long the packets of each input give way. Packets from a NIC give way to packets from links,
// packets that enter a ring to those within it. An input gives way for wait_i cycles from an arrival that finds it empty,
// or from its last match. From then on the input asks as an equal, until it is matched. So does one that insists on an output.
//
// Inputs share one clock, which runs while an input gives way. An input holds the last time at which it gives way. A single
// input counts down instead, which is smaller.
//
// Bound: wait_i cycles, then the matchings that xt_islip states.
// Latency: gives_way_o is a register, and follows matched_i by one cycle. It follows queued_i by two, since it does not matter
// whether an input without a packet gives way. goes_on_o follows both by one.
// Speed: an adder, a comparison. matched_i arrives late: it only chooses what gives_way_o loads. The last times load a cycle later.
`default_nettype none

module xt_injection_timers #(
  /// Number of inputs.
  parameter int Inputs = 2,
  /// Inputs that may give way.
  parameter logic [Inputs-1:0] Timed = {Inputs{1'b1}},
  /// Bits of the number of cycles.
  parameter int WaitBits = 16
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,
  /// Cycles for which a packet gives way; 0: never.
  input  logic [WaitBits-1:0] wait_i,
  /// Per input: a packet of the input is in some queue.
  input  logic [  Inputs-1:0] queued_i,
  /// Per input: a packet of the input is matched.
  input  logic [  Inputs-1:0] matched_i,
  /// Per input: insists on an output, and gives way no more until it is matched.
  input  logic [  Inputs-1:0] insists_i,
  /// Per input: the input gives way. Means nothing of an input that had no packet in the cycle before.
  output logic [  Inputs-1:0] gives_way_o,
  /// Per input: an input with a packet that is not matched gives way in the next cycle, unless that follows a reset.
  output logic [  Inputs-1:0] goes_on_o
);

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips timers that do not run
`endif

  if ($countones(Timed) == 1) begin : g_count
    logic [WaitBits-1:0] left_q;
    logic                gives_way_q;
    wire                 anew_here = ((matched_i | ~queued_i) & Timed) != '0;

    wire                 goes_on = gives_way_q && (left_q >> 1) != '0 && (insists_i & Timed) == '0;

    assign gives_way_o = Timed & {Inputs{gives_way_q}};
    assign goes_on_o   = Timed & {Inputs{goes_on}};
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        left_q      <= '0;
        gives_way_q <= 1'b0;
      end else begin
        left_q      <= anew_here ? wait_i : left_q - WaitBits'(gives_way_q);
        gives_way_q <= anew_here ? wait_i != '0 : goes_on;
      end
    end
  end else begin : g_clock
    logic [WaitBits-1:0] time_q, last_anew_q;
    logic [  Inputs-1:0] matched_q, empty_q;  // matched_i comes late, so it meets nothing but the register of gives_way_o
    logic                once_q, longer_q;  // the wait was one cycle, or more
    wire  [  Inputs-1:0] anew_q = matched_q | empty_q;

    // While nobody gives way the time does not matter, and an input that is loaded gives way from the next time on.
    wire runs = gives_way_o != '0 || wait_i != '0 || longer_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) time_q <= '0;
      else if (runs) time_q <= time_q + 1'b1;
      longer_q <= rst_ni && (wait_i >> 1) != '0;
    end

    // The last time of an input that began to give way in the cycle before. The wait was one cycle if that time is now.
    always_ff @(posedge clk_i) begin
      if (NoSkip || runs || !rst_ni) begin
        last_anew_q <= time_q + wait_i;
        once_q      <= wait_i == WaitBits'(1);
        matched_q   <= matched_i;
        empty_q     <= ~queued_i;
      end
    end

    for (genvar i = 0; i < Inputs; i++) begin : g_input
      if (Timed[i]) begin : g_timed
        logic [WaitBits-1:0] last_q;  // the last time to give way

        assign goes_on_o[i] = !insists_i[i]
                           && (empty_q[i] ? longer_q : gives_way_o[i] && (matched_q[i] ? !once_q : last_q != time_q));
        always_ff @(posedge clk_i) begin
          if (NoSkip || runs || !rst_ni) begin
            if (anew_q[i]) last_q <= last_anew_q;
            if (!rst_ni) gives_way_o[i] <= 1'b0;
            else gives_way_o[i] <= matched_i[i] ? wait_i != '0 : goes_on_o[i];
          end
        end
      end else begin : g_never
        assign gives_way_o[i] = 1'b0;
        assign goes_on_o[i]   = 1'b0;
      end
    end
  end

endmodule

`default_nettype wire
