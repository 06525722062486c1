// SPDX-License-Identifier: Apache-2.0
//
// iSLIP (McKeown 1999): every output grants one requesting input, every input accepts one granting
// output, both round robin, for a number of iterations in one cycle.
//
// Outputs take the inputs in rising order, inputs the outputs in falling order. If both rise and no input asks for the
// output of its own number, a loaded switch of N ports, four or more, stays near N - 1 pairs. A second iteration mends a part.
//
// Fairness: the pointers move just past the partner, and only when a grant of the first iteration is
// accepted. So the pair under a pointer keeps its priority until the pair is matched. No request starves of an input that
// does not give way: between two changes of gives_way_i a request waits for less than N^2 + (N-1)^2 matchings, and N more for
// each in which the pointers stay. They stay in one of 128 matchings, so that no turns repeat for ever. Else an input
// would never be served on a VC whose credit another input always takes just before its turn. The other 127 are a prime, so
// that of inputs that take turns each has the second turn as often.
// Under load the pointers drift apart until every output picks another input. After an upset the bits of a pointer may be
// no order: requesters that all wait for each other. Such a pointer is set anew once it chooses none of its requests.
// Latency: combinational; the pointers are registered, each as the order that follows from the pointer.
// Speed: free inputs and outputs, then Iterations x (grant + accept), each two levels of logic for seven ports.
`default_nettype none

module xt_islip #(
  /// Number of inputs.
  parameter int Inputs = 4,
  /// Number of outputs.
  parameter int Outputs = 4,
  /// Iterations in one cycle.
  parameter int Iterations = 1,
  /// The first input that may give way; none below does.
  parameter int FirstGiver = 0,
  /// Pairs that may request; the others never do. Ordered as the requests.
  parameter logic [Inputs*Outputs-1:0] Allowed = {(Inputs * Outputs) {1'b1}}
) (
  /// Clock.
  input  logic                      clk_i,
  /// Reset, active low, synchronous.
  input  logic                      rst_ni,
  /// Requests: bit i*Outputs + o is input i's for output o.
  input  logic [Inputs*Outputs-1:0] request_i,
  /// Inputs that may be matched.
  input  logic [        Inputs-1:0] input_free_i,
  /// Outputs that may be matched.
  input  logic [       Outputs-1:0] output_free_i,
  /// Inputs that an output grants only if no other input asks.
  input  logic [        Inputs-1:0] gives_way_i,
  /// Matches, ordered as the requests; at most one per input and per output.
  output logic [Inputs*Outputs-1:0] match_o,
  /// Inputs that are granted, and so matched, unless an upset pointer accepts nothing.
  output logic [        Inputs-1:0] matched_o
);

  if (Iterations < 1 || Iterations > Inputs) begin : g_illegal
    xt_islip_needs_1_to_Inputs_iterations i_illegal ();
  end

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips what has no request
`endif

  // Place of an output in the order of the inputs.
  function automatic int place(input int o);
    place = Outputs - 1 - o;
  endfunction
  // Inputs that may ask an output, and outputs that may grant an input, falling.
  function automatic logic [Inputs-1:0] askers(input int o);
    for (int i = 0; i < Inputs; i++) askers[i] = Allowed[i*Outputs+o];
  endfunction
  function automatic logic [Outputs-1:0] granters(input int i);
    for (int o = 0; o < Outputs; o++) granters[Outputs-1-o] = Allowed[i*Outputs+o];  // Icarus 11 calls no function here
  endfunction

  logic [6:0] matchings_q;
  wire stays = &matchings_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) matchings_q <= '0;
    else if (matched_o != '0) matchings_q <= matchings_q + 1'b1;
  end

  // The order behind the partner accepted last, as xt_matrix_arbiter takes it.
  localparam int GrantPairs = (Inputs > 1) ? Inputs * (Inputs - 1) / 2 : 1;
  localparam int AcceptPairs = (Outputs > 1) ? Outputs * (Outputs - 1) / 2 : 1;
  logic [ Outputs*GrantPairs-1:0] grant_order_q;
  logic [ Inputs*AcceptPairs-1:0] accept_order_q;

  // The order of two inputs of which one gives way is not that of the pointer.
  logic [GrantPairs-1:0] higher_first, lower_first;
  logic [    Inputs-1:0] gives_way;
  always @* begin
    for (int i = 0; i < Inputs; i++) gives_way[i] = i >= FirstGiver && gives_way_i[i];
    higher_first = '0;
    lower_first  = '0;
    for (int j = 1; j < Inputs; j++) begin
      for (int i = 0; i < Inputs; i++) begin
        if (i < j) begin
          higher_first[j*(j-1)/2+i] = gives_way[i] & ~gives_way[j];
          lower_first[j*(j-1)/2+i]  = gives_way[j] & ~gives_way[i];
        end
      end
    end
  end

  logic [Inputs*Outputs-1:0] initial_match;

  for (genvar n = 0; n < Iterations; n++) begin : g_iteration
    // Unmatched inputs and outputs, then the matches of all iterations so far.
    logic [        Inputs-1:0] input_open;
    logic [       Outputs-1:0] output_open;
    logic [Inputs*Outputs-1:0] grants, accepts, matched;
    // Requests between these by outputs, and grants by inputs with falling outputs.
    logic [Inputs*Outputs-1:0] columns, granted, falling, accepted;
    // Pointers that have chosen none of their requests, in any iteration so far.
    logic [Outputs-1:0] grant_stuck, grant_stuck_so_far;
    logic [ Inputs-1:0] accept_stuck, accept_stuck_so_far;
    // Inputs with a grant, in any iteration so far.
    logic [ Inputs-1:0] wins, wins_so_far;

    if (n == 0) begin : g_first
      assign input_open  = input_free_i;
      assign output_open = output_free_i;
      assign matched     = accepts;
      assign grant_stuck_so_far  = grant_stuck;
      assign accept_stuck_so_far = accept_stuck;
      assign wins_so_far         = wins;
    end else begin : g_further
      logic [Inputs*Outputs-1:0] earlier;
      assign earlier = g_iteration[n-1].matched;
      assign matched = earlier | accepts;
      assign grant_stuck_so_far  = g_iteration[n-1].grant_stuck_so_far | grant_stuck;
      assign accept_stuck_so_far = g_iteration[n-1].accept_stuck_so_far | accept_stuck;
      assign wins_so_far         = g_iteration[n-1].wins_so_far | wins;
      always_comb begin
        input_open  = input_free_i;
        output_open = output_free_i;
        for (int i = 0; i < Inputs; i++) begin
          output_open = output_open & ~earlier[i*Outputs+:Outputs];
          if (earlier[i*Outputs+:Outputs] != '0) input_open[i] = 1'b0;
        end
      end
    end

    // Why always @*: rtl/README.md.
    always @* begin : by_output
      int i, o;
      i = 0;
      o = 0;
      columns = '0;
      if (NoSkip || request_i != '0) begin
        for (o = 0; o < Outputs; o = o + 1) begin
          for (i = 0; i < Inputs; i = i + 1) columns[o*Inputs+i] = request_i[i*Outputs+o] & input_open[i] & output_open[o];
        end
      end
    end
    always @* begin : by_input
      int i, o;
      i = 0;
      o = 0;
      grants  = '0;
      falling = '0;
      wins    = '0;
      if (NoSkip || granted != '0) begin
        for (i = 0; i < Inputs; i = i + 1) begin
          for (o = 0; o < Outputs; o = o + 1) begin
            grants[i*Outputs+o]         = granted[o*Inputs+i];
            falling[i*Outputs+place(o)] = granted[o*Inputs+i];
            wins[i]                     = wins[i] | granted[o*Inputs+i];
          end
        end
      end
    end
    always @* begin : accept
      int i, o;
      i = 0;
      o = 0;
      accepts = '0;
      if (NoSkip || accepted != '0) begin
        for (i = 0; i < Inputs; i = i + 1) begin
          for (o = 0; o < Outputs; o = o + 1) accepts[i*Outputs+o] = accepted[i*Outputs+place(o)];
        end
      end
    end
    always @* begin : stuck
      int i, o;
      i = 0;
      o = 0;
      grant_stuck  = '0;
      accept_stuck = '0;
      if (NoSkip || columns != '0) begin
        for (o = 0; o < Outputs; o = o + 1)
          grant_stuck[o] = columns[o*Inputs+:Inputs] != '0 && granted[o*Inputs+:Inputs] == '0;
        for (i = 0; i < Inputs; i = i + 1)
          accept_stuck[i] = grants[i*Outputs+:Outputs] != '0 && accepts[i*Outputs+:Outputs] == '0;
      end
    end

    for (genvar o = 0; o < Outputs; o++) begin : g_grant
      xt_islip_choice #(
        .Width  (Inputs),
        .Allowed(askers(o))
      ) i_choice (
        .request_i(columns[o*Inputs+:Inputs]),
        .order_i  ((grant_order_q[o*GrantPairs+:GrantPairs] & ~lower_first) | higher_first),
        .grant_o  (granted[o*Inputs+:Inputs])
      );
    end

    for (genvar i = 0; i < Inputs; i++) begin : g_accept
      xt_islip_choice #(
        .Width  (Outputs),
        .Allowed(granters(i))
      ) i_choice (
        .request_i(falling[i*Outputs+:Outputs]),
        .order_i  (accept_order_q[i*AcceptPairs+:AcceptPairs]),
        .grant_o  (accepted[i*Outputs+:Outputs])
      );
    end
  end

  assign initial_match = g_iteration[0].matched;
  assign match_o       = g_iteration[Iterations-1].matched;
  assign matched_o     = g_iteration[Iterations-1].wins_so_far;

  for (genvar i = 0; i < Inputs; i++) begin : g_accept_pointer
    wire [    Outputs-1:0] accepted;  // falling
    wire [AcceptPairs-1:0] order;
    for (genvar o = 0; o < Outputs; o++) begin : g_output
      assign accepted[place(o)] = initial_match[i*Outputs+o];
    end
    xt_round_robin_order #(
      .Width(Outputs)
    ) i_order (
      .last_i (accepted),
      .order_o(order)
    );
    always_ff @(posedge clk_i) begin
      if (!rst_ni) accept_order_q[i*AcceptPairs+:AcceptPairs] <= '0;
      else if (accepted != '0) begin
        if (!stays) accept_order_q[i*AcceptPairs+:AcceptPairs] <= order;
      end else if (g_iteration[Iterations-1].accept_stuck_so_far[i]) accept_order_q[i*AcceptPairs+:AcceptPairs] <= '0;
    end
  end

  for (genvar o = 0; o < Outputs; o++) begin : g_grant_pointer
    wire [    Inputs-1:0] accepted;
    wire [GrantPairs-1:0] order;
    for (genvar i = 0; i < Inputs; i++) begin : g_column
      assign accepted[i] = initial_match[i*Outputs+o];
    end
    xt_round_robin_order #(
      .Width(Inputs)
    ) i_order (
      .last_i (accepted),
      .order_o(order)
    );
    always_ff @(posedge clk_i) begin
      if (!rst_ni) grant_order_q[o*GrantPairs+:GrantPairs] <= '0;
      else if (accepted != '0) begin
        if (!stays) grant_order_q[o*GrantPairs+:GrantPairs] <= order;
      end else if (g_iteration[Iterations-1].grant_stuck_so_far[o]) grant_order_q[o*GrantPairs+:GrantPairs] <= '0;
    end
  end

`ifdef XT_ASSERT
  logic [ Inputs-1:0] input_matched_twice;
  logic [Outputs-1:0] output_matched_twice;
  for (genvar i = 0; i < Inputs; i++) begin : g_check_input
    wire [Outputs-1:0] matched = match_o[i*Outputs+:Outputs];
    assign input_matched_twice[i] = (matched & (matched - 1'b1)) != '0;
  end
  for (genvar o = 0; o < Outputs; o++) begin : g_check_output
    wire [Inputs-1:0] matched;
    for (genvar i = 0; i < Inputs; i++) begin : g_column
      assign matched[i] = match_o[i*Outputs+o];
    end
    assign output_matched_twice[o] = (matched & (matched - 1'b1)) != '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      islip_only_givers_give_way : assert (gives_way == gives_way_i);
      islip_matches_requests : assert ((match_o & ~request_i) == '0);
      islip_only_allowed_pairs_request : assert ((request_i & ~Allowed) == '0);
      islip_one_output_per_input : assert (input_matched_twice == '0);
      islip_one_input_per_output : assert (output_matched_twice == '0);
    end
  end
`endif

endmodule

`default_nettype wire
