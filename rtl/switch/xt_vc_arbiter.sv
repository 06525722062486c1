// SPDX-License-Identifier: Apache-2.0
//
// VC arbiter of one (input, output) pair: chooses the queue that the pair serves next. Round robin decides between the
// traffic classes that have an eligible queue, and between the VCs of the chosen class.
//
// Fairness: a service moves the pointers two cycles later, so two services in a row may go by the same order. A waiting class
// is served within 2 * Classes services of the pair. In a class of v VCs, a waiting VC is served within 2 * v services of
// the class. Pointers that are not one-hot, after an upset, still choose one queue, and are set anew by
// its service.
// Latency: combinational, in parallel with the switch allocator; the pointers are registered. A register tells one
// cycle later that the choice was served, because the match arrives late. The pointers follow another cycle later.
// Speed: five levels of logic, with four classes of up to three queues: an arbiter per class and one over the classes, side by
// side. Synthesis of a large card maps this module apart: elsewhere longer ways would let this one become long.
`default_nettype none

module xt_vc_arbiter #(
  /// Number of queues of the pair.
  parameter int Queues = 4,
  /// Number of traffic classes.
  parameter int Classes = 2,
  /// Traffic class of each queue, 8 bits each, queue 0 in the low bits.
  parameter logic [Queues*8-1:0] QueueClass = '0,
  /// Bits of a queue's number.
  localparam int QueueBits = (Queues > 1) ? $clog2(Queues) : 1
) (
  /// Clock.
  input  logic              clk_i,
  /// Reset, active low, synchronous.
  input  logic              rst_ni,
  /// Queues with a packet that may start, unless the queue was served in the last cycle.
  input  logic [Queues-1:0] eligible_i,
  /// One-hot choice; zero if none may start.
  output logic [Queues-1:0] pick_o,
  /// Number of the chosen queue.
  output logic [QueueBits-1:0] number_o,
  /// A queue is chosen.
  output logic              any_o,
  /// The queue that was served in the last cycle, one-hot; zero for none.
  input  logic [Queues-1:0] served_i,
  /// The pair was matched then, so that queue was the choice.
  input  logic              matched_i
);

  // The queues of class t.
  function automatic logic [Queues-1:0] queues_of(input int t);
    for (int q = 0; q < Queues; q++) queues_of[q] = 32'(QueueClass[q*8+:8]) == t;
  endfunction
  // The queues whose number has bit b.
  function automatic logic [Queues-1:0] queues_with(input int b);
    for (int q = 0; q < Queues; q++) queues_with[q] = (q >> b) % 2 != 0;
  endfunction
  // The highest queue of each class; the lowest queue has the next turn.
  function automatic logic [Queues-1:0] highest();
    for (int q = 0; q < Queues; q++) begin
      highest[q] = 1'b1;
      for (int k = q + 1; k < Queues; k++) if (QueueClass[k*8+:8] == QueueClass[q*8+:8]) highest[q] = 1'b0;
    end
  endfunction
  localparam logic [Queues-1:0] Highest = highest();

  // Served last: of each class one queue, and of the classes one. last_q and last_class_q do not have the last cycle's yet.
  logic [Queues-1:0] last, last_q, first;
  logic [Classes-1:0] last_class, last_class_q, served_class, wants, turn;

  // A served queue pauses: its next head is not known.
  logic [Queues-1:0] eligible, served;
  assign eligible = eligible_i & ~served_i;
  assign served   = served_i & {Queues{matched_i}};

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;
`endif

  xt_arbiter #(
    .Width(Queues),
    .Group(QueueClass)
  ) i_queues (
    .request_i(eligible),
    .last_i   (last_q),
    .grant_o  (first)
  );

  xt_arbiter #(
    .Width(Classes)
  ) i_classes (
    .request_i(wants),
    .last_i   (last_class_q),
    .grant_o  (turn)
  );

  // A simulator skips what no queue and no service asks for.
  always_comb begin
    served_class = '0;
    last         = last_q;
    last_class   = last_class_q;
    if (NoSkip || served != '0) begin
      for (int t = 0; t < Classes; t++) served_class[t] = (served & queues_of(t)) != '0;
      for (int q = 0; q < Queues; q++) if (served_class[32'(QueueClass[q*8+:8])]) last[q] = served[q];
      if (served_class != '0) last_class = served_class;
    end
  end

  // Why always @*: rtl/README.md.
  always @* begin : ask
    int t;
    t     = 0;
    wants = '0;
    if (NoSkip || eligible != '0) begin
      for (t = 0; t < Classes; t = t + 1) wants[t] = (eligible & queues_of(t)) != '0;
    end
  end
  assign any_o = wants != '0;

  always @* begin : choose
    int t, b;
    t        = 0;
    b        = 0;
    pick_o   = '0;
    number_o = '0;
    if (NoSkip || eligible != '0) begin
      for (t = 0; t < Classes; t = t + 1) pick_o = pick_o | (first & queues_of(t) & {Queues{turn[t]}});
      for (b = 0; b < QueueBits; b = b + 1) number_o[b] = (pick_o & queues_with(b)) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      last_q       <= Highest;
      last_class_q <= Classes'(1) << (Classes - 1);
    end else begin
      last_q       <= last;
      last_class_q <= last_class;
    end
  end

`ifdef XT_ASSERT
  logic [Queues-1:0] picked_q;
  always_ff @(posedge clk_i) begin
    picked_q <= rst_ni ? pick_o : '0;
    if (rst_ni) begin
      vc_arbiter_picks_an_eligible_queue : assert ((pick_o & ~eligible) == '0);
      vc_arbiter_picks_one : assert ((pick_o & (pick_o - 1'b1)) == '0);
      vc_arbiter_serves_its_choice : assert (served == '0 || served == picked_q);
      vc_arbiter_work_conserving : assert (any_o == (pick_o != '0));
    end
  end
`endif

endmodule

`default_nettype wire
