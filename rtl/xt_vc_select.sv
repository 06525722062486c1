// SPDX-License-Identifier: Apache-2.0
//
// Chooses the queue that one (input, output) pair serves next: round robin between the traffic classes
// that have an eligible queue, and round robin between the VCs of the chosen class.
//
// Fairness: a class is served at least every Classes-th time the pair is, a VC at least every v-th time
// its class is, for v VCs in the class.
// Cost: one priority chain per class and one over the classes. The pointers are masks; one mask over
// all VCs holds the pointers of all classes, as their VCs are disjoint.
// Latency: combinational, in parallel with the matching of inputs and outputs; pointers are registered.
`default_nettype none

module xt_vc_select #(
  /// Number of queues of the pair.
  parameter int Queues = 4,
  /// Number of traffic classes.
  parameter int Classes = 2,
  /// Traffic class of each queue, 8 bits each, queue 0 in the low bits.
  parameter logic [Queues*8-1:0] QueueClass = '0
) (
  /// Clock.
  input  logic              clk_i,
  /// Reset, active low, synchronous.
  input  logic              rst_ni,
  /// Queues with a packet that may start.
  input  logic [Queues-1:0] eligible_i,
  /// One-hot choice; zero if none is eligible.
  output logic [Queues-1:0] pick_o,
  /// The pair was matched: the choice is being served.
  input  logic              served_i
);

  logic [Queues-1:0] queue_above_q, queue_above_d;
  logic [Classes-1:0] class_above_q;
  logic [Classes-1:0] class_any, class_upper, class_pick;
  logic [Queues-1:0] member, candidates, upper, pick;

  // Bits above the lowest set one, by smearing upwards: a carry chain would be slower and larger.
  function automatic logic [Queues-1:0] above_queue(input logic [Queues-1:0] bits);
    above_queue = bits << 1;
    for (int k = 1; k < Queues; k = k * 2) above_queue = above_queue | (above_queue << k);
  endfunction
  function automatic logic [Classes-1:0] above_class(input logic [Classes-1:0] bits);
    above_class = bits << 1;
    for (int k = 1; k < Classes; k = k * 2) above_class = above_class | (above_class << k);
  endfunction

  always_comb begin
    class_any     = '0;
    class_upper   = '0;
    class_pick    = '0;
    member        = '0;
    candidates    = '0;
    upper         = '0;
    pick          = '0;
    queue_above_d = queue_above_q;
    if (eligible_i != '0) begin
      for (int t = 0; t < Classes; t++) begin
        for (int q = 0; q < Queues; q++) member[q] = QueueClass[q*8+:8] == t[7:0];
        class_any[t] = (eligible_i & member) != '0;
      end
      class_upper = class_any & class_above_q;
      if (class_upper != '0) class_any = class_upper;
      class_pick = class_any & ~above_class(class_any);
      for (int t = 0; t < Classes; t++) begin
        for (int q = 0; q < Queues; q++) member[q] = QueueClass[q*8+:8] == t[7:0];
        candidates = eligible_i & member;
        upper      = candidates & queue_above_q;
        if (upper != '0) candidates = upper;
        candidates = candidates & ~above_queue(candidates);
        if (class_pick[t]) begin
          pick          = pick | candidates;
          queue_above_d = (queue_above_q & ~member) | (member & above_queue(candidates));
        end
      end
    end
  end

  assign pick_o = pick;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      queue_above_q <= '1;
      class_above_q <= '1;
    end else if (served_i) begin
      queue_above_q <= queue_above_d;
      class_above_q <= above_class(class_pick);
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      vc_select_picks_an_eligible_queue : assert ((pick_o & ~eligible_i) == '0);
      vc_select_picks_one : assert ((pick_o & (pick_o - 1'b1)) == '0);
      vc_select_work_conserving : assert ((pick_o == '0) == (eligible_i == '0));
    end
  end
`endif

endmodule

`default_nettype wire
