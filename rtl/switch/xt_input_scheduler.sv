// SPDX-License-Identifier: Apache-2.0
//
// Scheduler of one input: requests the outputs for which a queue has a packet that may start, and chooses the queue that a
// match serves. A queue that needs no output is served without a match: that of illegal routes, and a queue whose head
// moves to its escape.
//
// The queue of illegal routes is drained: its cells are dropped and credited back, so no packet waits behind them. The
// queue goes first at its input. Behind a packet of it comes one that can be matched, and one that must escape, if there is any.
//
// Streams of equal length may keep step: whenever the input is free, an output that it waits for is busy, or without
// credit. Nor may an input come first while it gives way, when each match elsewhere lets it give way anew. So the input watches
// one output at a time, as long as it waits for it. Packets are counted that pass to other outputs: longer ones, and all
// while the input gives way at the watched output. At Patience the input asks for the watched output alone, and does not
// give way. It does so until that serves it, or no packet for it could start in Patience/2 cycles.
//
// Latency: request_o at once, serve_o in the cycle after match_i.
// Speed: cycle 1: flags of the queues, credit_ok by length class, OR per output. Cycle 2: behind the match, an OR of the
// choices for each output.
`default_nettype none

module xt_input_scheduler #(
  /// Outputs that packets of this port may take.
  parameter logic [xt_pkg::Ports-1:0] Allowed = {xt_pkg::Ports{1'b1}},
  /// Number of queues: Vcs per link port, Tcs per NIC port, and the one for illegal routes.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1,
  /// Bits of a queue's number: the port on top, below the VC at a link port or the traffic class at a NIC port. The
  /// queue of illegal routes has one port number more.
  localparam int QueueBits = $clog2(xt_pkg::Ports + 1) + xt_pkg::VcBits,
  /// Bits of a length class.
  localparam int ClassBits = (xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 1,
  /// Bits of a number of length classes.
  localparam int CreditOkBits = ((xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 0) + 1,
  /// Number of link ports.
  localparam int Links = xt_pkg::LinkPorts,
  /// Number of VCs.
  localparam int Vcs = xt_pkg::Vcs
) (
  /// Clock.
  input  logic                                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                                 rst_ni,
  /// Queues that hold a packet when this cycle is over.
  input  logic [                   Queues-1:0] nonempty_i,
  /// Length class of the head of each queue, at least; bit b of queue q is at b*Queues + q.
  input  logic [         ClassBits*Queues-1:0] head_class_i,
  /// Per queue: number of length classes, from the shortest on, whose packets have credit. Bit b of queue q is at
  /// b*Queues + q; the uppermost bit means all classes.
  input  logic [      CreditOkBits*Queues-1:0] credit_ok_i,
  /// Queues whose head has one cell, for certain.
  input  logic [                   Queues-1:0] short_i,
  /// The same of the next cycle, as far as known.
  input  logic [                   Queues-2:0] short_next_i,
  /// Of queues that can be served in the next cycle: those whose head came behind another packet.
  input  logic [                   Queues-1:0] head_from_next_i,
  /// The stream continues: in the cycle after the next no queue can be served. Timing: late.
  input  logic                                 busy_next_i,
  /// In the next cycle no queue can be served.
  input  logic                                 busy_i,
  /// Blocked traffic classes, per output: bit o*Tcs + t.
  input  logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] block_i,
  /// Queue that must escape, one-hot; zero for none.
  input  logic [                Links*Vcs-1:0] escape_i,
  /// There is one.
  input  logic                                 any_escape_i,
  /// An escape is under way. Timing: late.
  input  logic                                 escaping_i,
  /// Serve nothing.
  input  logic                                 yields_i,
  /// Outputs at which the input gives way to others.
  input  logic [            xt_pkg::Ports-1:0] gives_way_i,
  /// The input asks for one output alone, and does not give way there.
  output logic                                 insists_o,
  /// The queue of escape_i in the last cycle escapes.
  output logic                                 escape_taken_o,
  /// Outputs for which a packet may start in the next cycle, should they and this input be free. Late.
  output logic [            xt_pkg::Ports-1:0] request_o,
  /// Outputs for which a packet of more than one cell, or of unknown length, may start. Timing: late.
  output logic [            xt_pkg::Ports-1:0] long_o,
  /// Output matched to this input.
  input  logic [            xt_pkg::Ports-1:0] match_i,
  /// A stream dropped from this cycle on continues beyond the next cycle.
  output logic                                 drops_o,
  /// Traffic classes that could start but for block_i, per output; of the last cycle.
  output logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] wanted_o,
  /// Queues whose packets have credit.
  output logic [                   Queues-1:0] credit_ok_o,
  /// Traffic classes that could start in the last cycle, per output.
  output logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] might_start_o,
  /// If a queue is served in the next cycle, its number.
  output logic [                QueueBits-1:0] serve_next_o,
  /// Serve the head of a queue: one-hot, zero for none.
  output logic [                   Queues-1:0] serve_o,
  /// The same queue as a number.
  output logic [                QueueBits-1:0] serve_queue_o,
  /// The queue was one of head_from_next_i in the last cycle.
  output logic                                 serve_from_next_o,
  /// serve_o is not zero.
  output logic                                 serve_valid_o,
  /// The cells of the packet leave.
  output logic                                 serve_first_o,
  /// The packet leaves for its escape in place of a service.
  output logic                                 serve_requeue_o,
  /// Output of the packet, one-hot; zero drops the packet. Held until the next packet is served.
  output logic [            xt_pkg::Ports-1:0] serve_output_o,
  /// VC that the packet leaves on. Held until the next packet is served.
  output logic [           xt_pkg::VcBits-1:0] serve_vc_o
);

  localparam int DropQueue = Queues - 1;
  localparam logic [QueueBits-1:0] DropNumber = QueueBits'(xt_pkg::Ports * 2 ** xt_pkg::VcBits);
  localparam int Tcs = xt_pkg::Tcs;
  localparam logic [Vcs*8-1:0] VcTc = xt_pkg::VcTc;

  // First queue of an output, and the number of its queues.
  function automatic int first_queue(input int o);
    first_queue = (o < Links) ? o * Vcs : Links * Vcs + (o - Links) * Tcs;
  endfunction
  function automatic int queue_count(input int o);
    queue_count = (o < Links) ? Vcs : Tcs;
  endfunction
  // The VCs of each TC; TC t's from bit t*Vcs on.
  function automatic logic [Tcs*Vcs-1:0] vcs_by_tc();
    vcs_by_tc = '0;
    for (int v = 0; v < Vcs; v++) begin
      for (int t = 0; t < Tcs; t++) if (VcTc[v*8+:8] == 8'(t)) vcs_by_tc[t*Vcs+v] = 1'b1;
    end
  endfunction
  localparam logic [Tcs*Vcs-1:0] VcsByTc = vcs_by_tc();
  function automatic logic [xt_pkg::VcBits-1:0] vc_number(input logic [Vcs-1:0] vc);
    vc_number = '0;
    for (int v = 0; v < Vcs; v++) if (vc[v]) vc_number = vc_number | v[xt_pkg::VcBits-1:0];
  endfunction

  // ---------------------------------------------------------------- an output that is never free in time
  localparam int Patience = 128;
  localparam int PassedBits = $clog2(Patience) + 1;
  logic [xt_pkg::Ports-1:0] any, any_q, watched_q, not_now;
  logic [   PassedBits-1:0] passed_q;  // packets, behind the Patience-th cycles in which none may start there
  logic                     waited_q;  // a packet could start for the watched output, and has not
  logic                     may_start_there, waits, insists, passes, turns;

  assign may_start_there = (any_q & watched_q) != '0;
  assign waits           = waited_q | may_start_there;
  assign insists         = passed_q[PassedBits-1];
  assign insists_o       = insists;
  assign not_now         = insists ? ~watched_q : '0;
  assign passes          = insists ? ~may_start_there : serve_valid_o && (busy_i || (gives_way_i & watched_q) != '0);
  assign turns           = (insists && passed_q[PassedBits-2])
      || (serve_valid_o && (!waits || (serve_output_o & watched_q) != '0));

  always_ff @(posedge clk_i) begin
    any_q <= rst_ni ? any : '0;
    // A packet that escapes waits elsewhere.
    waited_q <= rst_ni && waits && !turns && !(serve_valid_o && serve_requeue_o);
    if (!rst_ni) begin
      watched_q <= xt_pkg::Ports'(1);
      passed_q  <= '0;
    end else if (turns) begin
      // A single bit rotates, and becomes single again after an upset.
      watched_q <= {watched_q[xt_pkg::Ports-2:0], watched_q[xt_pkg::Ports-2:0] == '0};
      passed_q  <= '0;
    end else begin
      passed_q <= passed_q + PassedBits'(passes);
    end
  end

  // ---------------------------------------------------------------- cycle 1: request
  logic [          Queues-2:0] able, may_be_long, may_start, may_start_q;  // may_start: unless its class is blocked
  logic [     xt_pkg::Ports*Tcs-1:0] wanted, wanted_q, wanted_long, might_start;
  logic                        went_on_q;  // busy_next_i of the last cycle
  logic [   xt_pkg::Ports-1:0] went_to_q;  // serve_output_o of the last cycle
  logic                        own, goes_alone, goes_alone_q;  // a queue goes without a match; unless yields_i
  logic                        serve_own, serve_valid;
  logic                        drop, escape;  // a queue goes without a match: that of illegal routes, or one that must escape
  logic                        dropped_q;  // a packet was dropped, behind it is another, and no match has been served since
  logic [          Queues-1:0] own_d, own_q;  // queue served without a match: dropped, or moved to its escape
  logic                        own_requeue_q;
  logic [       QueueBits-1:0] own_queue_q, own_queue;

  // Why always @*: rtl/README.md.
  always @* begin : compare
    int b;
    b = 0;
    // More classes than the number of the head's, compared from the low bit up.
    credit_ok_o = '0;
    if (xt_pkg::NoSkip != 0 || nonempty_i != '0) begin
      for (b = 0; b < CreditOkBits - 1; b = b + 1) begin
        credit_ok_o = (credit_ok_i[b*Queues+:Queues] & (credit_ok_o | ~head_class_i[b*Queues+:Queues]))
             | (credit_ok_o & ~head_class_i[b*Queues+:Queues]);
      end
      credit_ok_o = credit_ok_o | credit_ok_i[(CreditOkBits-1)*Queues+:Queues];
    end
  end
  assign able = nonempty_i[Queues-2:0] & credit_ok_o[Queues-2:0];

  always @* begin : request
    int o, t;
    o = 0;
    t = 0;
    wanted      = '0;
    wanted_long = '0;
    any         = '0;
    long_o      = '0;
    may_be_long = '0;
    may_start   = '0;
    might_start = '0;
    if (xt_pkg::NoSkip != 0 || able != '0) begin
      may_be_long = able & ~short_next_i;
      for (o = 0; o < Links; o = o + 1) begin
        for (t = 0; t < Tcs; t = t + 1) begin
          wanted[o*Tcs+t]      = (able[o*Vcs+:Vcs] & VcsByTc[t*Vcs+:Vcs]) != '0;
          wanted_long[o*Tcs+t] = (may_be_long[o*Vcs+:Vcs] & VcsByTc[t*Vcs+:Vcs]) != '0;
          if (!block_i[o*Tcs+t]) may_start[o*Vcs+:Vcs] = may_start[o*Vcs+:Vcs] | (able[o*Vcs+:Vcs] & VcsByTc[t*Vcs+:Vcs]);
          might_start[o*Tcs+t] = (may_start[o*Vcs+:Vcs] & VcsByTc[t*Vcs+:Vcs]) != '0;
        end
      end
      wanted[Links*Tcs+:xt_pkg::NicPorts*Tcs]      = able[Links*Vcs+:xt_pkg::NicPorts*Tcs];
      wanted_long[Links*Tcs+:xt_pkg::NicPorts*Tcs] = may_be_long[Links*Vcs+:xt_pkg::NicPorts*Tcs];
      may_start[Links*Vcs+:xt_pkg::NicPorts*Tcs]   = able[Links*Vcs+:xt_pkg::NicPorts*Tcs] & ~block_i[Links*Tcs+:xt_pkg::NicPorts*Tcs];
      might_start[Links*Tcs+:xt_pkg::NicPorts*Tcs] = may_start[Links*Vcs+:xt_pkg::NicPorts*Tcs];
      for (o = 0; o < xt_pkg::Ports; o = o + 1) begin
        any[o]    = might_start[o*Tcs+:Tcs] != '0;
        long_o[o] = (wanted_long[o*Tcs+:Tcs] & ~block_i[o*Tcs+:Tcs]) != '0;
      end
    end
  end

  // Queue served without a match: that of illegal routes, or one that must escape unless an escape is under way. A flood of
  // illegal packets would leave no cycle to others. So behind one that was dropped, a packet that could go has its turn.
  logic [QueueBits-1:0] escape_queue;
  assign escape = any_escape_i & ~escaping_i;
  assign drop   = nonempty_i[DropQueue] & ~(dropped_q & (escape | any_q != '0));
  always_comb begin
    escape_queue = '0;
    if (xt_pkg::NoSkip != 0 || any_escape_i) begin
      for (int o = 0; o < Links; o++) begin
        for (int v = 0; v < Vcs; v++) begin
          if (escape_i[o*Vcs+v]) escape_queue = escape_queue | QueueBits'(o * 2 ** xt_pkg::VcBits + v);
        end
      end
    end
    own_d            = (drop || escaping_i) ? '0 : Queues'(escape_i);
    own_d[DropQueue] = drop & ~yields_i;
    own_queue        = drop ? DropNumber : escaping_i ? '0 : escape_queue;
    own              = drop | escape;
    goes_alone       = own & ~(drop & yields_i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      may_start_q   <= '0;
      might_start_o <= '0;
      own_q         <= '0;
      goes_alone_q  <= 1'b0;
      own_requeue_q <= 1'b0;
      wanted_q      <= '0;
    end else begin
      may_start_q   <= may_start;
      might_start_o <= might_start;
      own_q         <= own_d;
      goes_alone_q  <= goes_alone;
      own_requeue_q <= ~drop;
      wanted_q      <= wanted;
    end
    dropped_q      <= nonempty_i[DropQueue] & (dropped_q ? serve_own | ~serve_valid : serve_own & ~own_requeue_q);
    own_queue_q    <= own_queue;
    went_on_q      <= busy_next_i;
    went_to_q      <= serve_output_o;
  end
  assign request_o = (own || yields_i) ? '0 : any & ~not_now;

  // A packet for another output than the busy input's output could not start.
  always @* begin : wants
    int o;
    o = 0;
    wanted_o = '0;
    if (xt_pkg::NoSkip != 0 || wanted_q != '0) begin
      for (o = 0; o < xt_pkg::Ports; o = o + 1) begin
        if (!went_on_q || went_to_q[o]) wanted_o[o*Tcs+:Tcs] = wanted_q[o*Tcs+:Tcs];
      end
    end
  end

  // ---------------------------------------------------------------- cycle 2: be matched
  logic [             Queues-1:0] serve;
  logic [             Queues-2:0] pick;
  logic [      xt_pkg::Ports-1:0] pick_any, granted, serve_output;
  logic                           serve_from_next;
  logic [     xt_pkg::VcBits-1:0] serve_vc;
  // The VC that each output would be served, and the source of its head in the buffer, ready before the match.
  logic [xt_pkg::Ports*xt_pkg::VcBits-1:0] pick_vc;
  logic [               xt_pkg::Ports-1:0] pick_from_next;
  // Tells a served choice from a packet moved to its escape. The path to each output's choice is short.
  logic [                       Links-1:0] matched_q;

  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_output
    localparam int First = first_queue(o);
    localparam int Count = queue_count(o);
    if (!Allowed[o]) begin : g_none
      assign pick[First+:Count]                        = '0;
      assign pick_any[o]                               = 1'b0;
      assign pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits] = '0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ^{may_start_q[First+:Count], matched_q[o%Links]};
      // verilator lint_on UNUSEDSIGNAL
    end else if (o < Links) begin : g_link
      xt_vc_arbiter #(
        .Queues    (Vcs),
        .Classes   (Tcs),
        .QueueClass(xt_pkg::VcTc)
      ) i_vc_arbiter (
        .clk_i,
        .rst_ni,
        .eligible_i(may_start_q[First+:Vcs]),
        .pick_o    (pick[First+:Vcs]),
        .number_o  (pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits]),
        .any_o     (pick_any[o]),
        .served_i  (serve_o[First+:Vcs]),
        .matched_i (matched_q[o])
      );
    end else begin : g_nic
      // The served queue pauses: its next head is not known.
      wire [Tcs-1:0] ready = may_start_q[First+:Tcs] & ~serve_o[First+:Tcs];
      assign pick_any[o] = ready != '0;
      xt_round_robin #(
        .Width(Tcs)
      ) i_tc_arbiter (
        .clk_i,
        .rst_ni,
        .request_i(ready),
        .grant_o  (pick[First+:Tcs]),
        .advance_i(match_i[o] & pick_any[o]),
        .served_i (pick[First+:Tcs])
      );
      assign pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits] = vc_number(Vcs'(pick[First+:Tcs]));
    end
    assign pick_from_next[o]   = (pick[First+:Count] & head_from_next_i[First+:Count]) != '0;
  end
  always @* begin : choose
    int o, n;
    o = 0;
    n = 0;
    serve = '0;
    if (xt_pkg::NoSkip != 0 || match_i != '0 || serve_own) begin
      serve = serve_own ? own_q : '0;
      for (o = 0; o < Links; o = o + 1) if (match_i[o]) serve[o*Vcs+:Vcs] = pick[o*Vcs+:Vcs];
      for (n = 0; n < xt_pkg::NicPorts; n = n + 1) if (match_i[Links+n]) serve[Links*Vcs+n*Tcs+:Tcs] = pick[Links*Vcs+n*Tcs+:Tcs];
    end
  end
  // Nothing is requested for the cycle in which a queue goes by itself. The served queue pauses: its next head is not known.
  assign serve_own        = goes_alone_q & ~busy_i & ~(serve_valid_o && serve_queue_o == own_queue_q);
  // A packet to drop may be longer than one cell.
  assign drops_o          = serve_own & ~own_requeue_q & ~short_i[DropQueue];

  xt_grant_mux #(
    .Outputs  (xt_pkg::Ports),
    .Allowed  (Allowed),
    .VcBits   (xt_pkg::VcBits),
    .QueueBits(QueueBits)
  ) i_grant_mux (
    .match_i,
    .any_i           (pick_any),
    .vc_i            (pick_vc),
    .head_from_next_i(pick_from_next),
    .own_i           (serve_own),
    .own_queue_i     (own_queue_q),
    .own_from_next_i (serve_own && (own_q & head_from_next_i) != '0),
    .valid_o         (serve_valid),
    .output_o        (granted),
    .vc_o            (serve_vc),
    .queue_o         (serve_next_o),
    .head_from_next_o(serve_from_next)
  );

  // Synthesis does not see through the grant mux.
  assign serve_output = granted & Allowed;

  always_ff @(posedge clk_i) begin
    serve_o   <= serve;  // zero in reset, as nothing is matched
    matched_q <= match_i[Links-1:0];
    if (!rst_ni) begin
      serve_valid_o   <= 1'b0;
      serve_first_o   <= 1'b0;
      serve_requeue_o <= 1'b0;
      serve_output_o  <= '0;
    end else begin
      serve_valid_o   <= serve_valid;
      serve_first_o   <= serve_valid & ~(serve_own & own_requeue_q);  // nothing is matched while a queue goes by itself
      serve_requeue_o <= serve_own & own_requeue_q;
      if (serve_valid) serve_output_o <= serve_output;
    end
    serve_from_next_o <= serve_from_next;
    if (serve_valid) begin
      serve_queue_o <= serve_next_o;
      serve_vc_o    <= serve_vc;
    end
  end

  assign escape_taken_o = serve_own & own_requeue_q;

`ifdef XT_ASSERT
  logic [xt_pkg::Ports-1:0] long_q, long_of_match;  // the packet of a match has, or may have, more than one cell
  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_long
    localparam int First = first_queue(o);
    localparam int Count = queue_count(o);
    assign long_of_match[o] = (pick[First+:Count] & ~short_i[First+:Count]) != '0;
  end
  always_ff @(posedge clk_i) begin
    long_q <= long_o;
    if (rst_ni) begin
      input_unit_tells_alike_of_a_queue_by_itself : assert (serve_own == (!busy_i && (own_q & ~serve_o) != '0));
      for (int o = 0; o < xt_pkg::Ports; o++) begin
        input_unit_tells_of_long_packets : assert (!match_i[o] || long_q[o] || long_of_match[o] == '0);
      end
    end
  end
`endif

endmodule

`default_nettype wire
