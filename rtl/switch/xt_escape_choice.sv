// SPDX-License-Identifier: Apache-2.0
//
// Escapes of one input: the queue whose head leaves its adaptive VC next. A packet that waits at the head of an adaptive
// queue through two pulses of tick_i must escape: its queue is told at choice_o until the packet is served.
//
// Fairness: round robin. From the cycle in which a queue must escape, each other queue escapes at most once before. An
// escape takes at most 5 cycles without arrivals, and 36 cycles and a buffer of cells with them.
//
// `yields` guarantees a cycle without an arriving head, which the requeue of a packet takes. Packets of one cell that
// arrive without a gap would hold the packet off for ever. After 31 such cycles the input serves no packet until the
// requeue: no cell is credited, so the sender pauses after a buffer of cells at the latest.
//
// Latency: a queue is told in the cycle after the pulse.
// Speed: serve_i, a priority among the queues.
`default_nettype none

module xt_escape_choice #(
  /// Number of outputs with adaptive queues.
  parameter int Links = 2,
  /// Queues of each of these outputs.
  parameter int Vcs = 2,
  /// Of these, the adaptive ones.
  parameter logic [Vcs-1:0] Adaptive = 2'b10,
  /// Number of queues.
  localparam int Queues = Links * Vcs
) (
  /// Clock.
  input  logic              clk_i,
  /// Reset, active low, synchronous.
  input  logic              rst_ni,
  /// A pulse: heads that also waited at the last pulse escape.
  input  logic              tick_i,
  /// Queues that hold a packet when this cycle is over.
  input  logic [Queues-1:0] nonempty_i,
  /// Served queue, one-hot; zero for none. An escape is a service too.
  input  logic [Queues-1:0] serve_i,
  /// The queue told in the last cycle escapes: in the next cycle the queue is served, and requeue_i set.
  input  logic              taken_i,
  /// A packet leaves its queue for its escape.
  input  logic              requeue_i,
  /// A packet is out of its queue and waits for its requeue.
  input  logic              requeue_waits_i,
  /// The queue that must escape first, one-hot; zero for none.
  output logic [Queues-1:0] choice_o,
  /// There is one.
  output logic              any_o,
  /// An escape is under way, so none may begin. Timing: late.
  output logic              escaping_o,
  /// Serve nothing.
  output logic              yields_o,
  /// A packet left its queue in the last cycle.
  output logic              pending_o
);

  localparam logic [Queues-1:0] May = {Links{Adaptive}};

  // ---------------------------------------------------------------- age
  logic [Queues-1:0] waited_q, must_q, must;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waited_q <= '0;
      must_q   <= '0;
    end else if (xt_pkg::NoSkip != 0 || tick_i || (waited_q | must_q) != '0) begin
      waited_q <= (waited_q | (tick_i ? nonempty_i : '0)) & May & ~serve_i & nonempty_i;
      must_q   <= (must_q | (tick_i ? waited_q : '0)) & May & ~serve_i & nonempty_i;
    end
  end

  // ---------------------------------------------------------------- choice
  // The first behind the queue that escaped last, or the first of all. Any value of behind_q serves.
  logic [Queues-1:0] behind_q;  // queues behind the one that escaped last
  logic [Queues-1:0] behind_choice_q;  // queues behind the one told in the last cycle
  logic [Queues-1:0] turn, above;  // above: queues above the lowest one that has its turn

  assign must     = must_q & ~serve_i;
  assign turn     = ((must & behind_q) != '0) ? must & behind_q : must;
  assign any_o    = must != '0;
  assign choice_o = turn & ~above;

  // Why always @*: rtl/README.md.
  always @* begin : spread
    int k;
    k     = 1;
    above = '0;
    if (xt_pkg::NoSkip != 0 || turn != '0) begin
      above = turn << 1;
      for (k = 1; k < Queues; k = k * 2) above = above | (above << k);
    end
  end

  always_ff @(posedge clk_i) begin
    behind_choice_q <= above & May;
    if (!rst_ni) behind_q <= '0;
    else if (taken_i) behind_q <= behind_choice_q;
  end

  // ---------------------------------------------------------------- one at a time
  logic [4:0] held_off_q;  // cycles in which arrivals held off the packet under requeue

  // A packet that was taken out can be enqueued from the second cycle on.
  always_ff @(posedge clk_i) pending_o <= rst_ni & requeue_i;

  assign escaping_o = requeue_waits_i | requeue_i | taken_i | pending_o;
  assign yields_o   = held_off_q == '1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !requeue_waits_i) held_off_q <= '0;
    else if (!yields_o) held_off_q <= held_off_q + 1'b1;
  end

endmodule

`default_nettype wire
