// SPDX-License-Identifier: Apache-2.0
//
// xt_escape_choice with the registers of xt_input_scheduler that take its choice. A queue is told exactly while its
// head has waited through two pulses. A queue that must escape is overtaken by each other queue once at most, and only
// one packet is out of its queue at a time. Packets come, and are served, as they like.
`default_nettype none

module escape_choice_proof #(
  parameter int Links = 2,
  localparam int Vcs = 2,
  localparam int Queues = Links * Vcs,
  localparam logic [Vcs-1:0] Adaptive = 2'b10
) (
  input logic              clk_i,
  input logic              tick_i,
  input logic [Queues-1:0] comes_i,
  input logic [Queues-1:0] leaves_i,
  input logic [Queues-1:0] match_i,
  input logic              free_i,
  input logic              arrives_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [Queues-1:0] nonempty_q = '0, nonempty, choice, own_q = '0, serve_q = '0;
  logic any, escaping, yields, pending, taken, requeue_q = 1'b0, waits_q = 1'b0, fresh_q = 1'b0, waits;

  // Stages of the scheduler: the choice, then the service.
  assign taken    = own_q != '0 && free_i && match_i == '0;
  assign nonempty = (nonempty_q & ~(serve_q & leaves_i)) | comes_i;
  assign waits    = waits_q & ~fresh_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      nonempty_q <= '0;
      own_q      <= '0;
      serve_q    <= '0;
      requeue_q  <= 1'b0;
      waits_q    <= 1'b0;
      fresh_q    <= 1'b0;
    end else begin
      nonempty_q <= nonempty;
      own_q      <= escaping ? '0 : choice;
      serve_q    <= taken ? own_q : match_i;
      requeue_q  <= taken;
      fresh_q    <= requeue_q;
      waits_q    <= requeue_q | (waits_q & (fresh_q | arrives_i));
    end
  end

  xt_escape_choice #(
    .Links   (Links),
    .Vcs     (Vcs),
    .Adaptive(Adaptive)
  ) i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .tick_i,
    .nonempty_i     (nonempty),
    .serve_i        (serve_q),
    .taken_i        (taken),
    .requeue_i      (requeue_q),
    .requeue_waits_i(waits),
    .choice_o       (choice),
    .any_o          (any),
    .escaping_o     (escaping),
    .yields_o       (yields),
    .pending_o      (pending)
  );

  // Pulses through which the head of some adaptive queue has waited, and who escaped since there were two.
  (* anyconst *)logic [Queues-1:0] watched;
  logic [1:0] pulses = '0;
  logic [Queues-1:0] escaped = '0;
  wire leaves = (serve_q & watched) != '0 || (nonempty & watched) == '0;
  wire must = pulses == 2'd2 && (serve_q & watched) == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || leaves) pulses <= '0;
    else if (tick_i && pulses != 2'd2) pulses <= pulses + 1'b1;
    if (!rst_n || leaves || pulses != 2'd2) escaped <= '0;
    else if (taken) escaped <= escaped | own_q;
  end

  always_comb begin
    one_is_watched : assume (watched != '0 && (watched & (watched - 1'b1)) == '0 && (watched & ~{Links{Adaptive}}) == '0);
    one_is_matched : assume ((match_i & (match_i - 1'b1)) == '0 && (match_i & ~nonempty_q) == '0);
    if (rst_n) begin
      one_is_chosen : assert ((choice & (choice - 1'b1)) == '0 && any == (choice != '0));
      a_head_is_told_after_two_pulses : assert (must ? any : (choice & watched) == '0);
      nobody_overtakes_twice : assert (!(pulses == 2'd2 && taken) || (escaped & own_q) == '0);
      one_is_out_at_a_time : assert (!requeue_q || !waits_q);
    end
  end

endmodule

`default_nettype wire
