// SPDX-License-Identifier: Apache-2.0
//
// xt_bridge_outbox: whoever has something to send waits for a bounded number of frames, whatever the others do. An
// answer waits for two frames. A packet is the last of at most 3 * NIC ports frames. An event waits for two
// events of each other kind and origin at most.
`default_nettype none

module bridge_outbox_proof #(
  parameter int Cards = 1,
  parameter int Nics = 2,
  localparam int Queues = Cards * Nics
) (
  input logic              clk_i,
  input logic              sync_i,
  input logic [ Cards-1:0] attention_i,
  input logic              answer_valid_i,
  input logic              hold_i,
  input logic [Queues-1:0] available_i,
  input logic [Queues-1:0] waiting_i,
  input logic              begin_i,
  input logic              done_i
);

  localparam int Events = Cards + Queues + 1;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic              answer_done, valid, held;
  logic [Queues-1:0] sent;
  logic [      63:0] header;

  // What offers something goes on until it is sent.
  logic              answers, answers_q = 1'b0, sending_q = 1'b0;
  logic [Queues-1:0] available, available_q = '0;
  assign answers   = answer_valid_i | answers_q;
  assign available = available_i | available_q;
  always_ff @(posedge clk_i) begin
    answers_q   <= rst_n & answers & ~answer_done;
    available_q <= rst_n ? available & ~sent : '0;
    // The sender: begins an offered frame, and then reads to its end.
    sending_q   <= rst_n & ((sending_q & ~done_i) | (valid & begin_i));
  end

  xt_bridge_outbox #(
    .Cards    (Cards),
    .Nics     (Nics),
    .CountBits(2)
  ) i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .sync_i,
    .synced_i       (1'b1),
    .attention_i,
    .answer_valid_i (answers),
    .answer_header_i({56'd0, xt_bridge_pkg::KindInfo}),
    .answer_words_i (2'd0),
    .answer_word_i  (32'd0),
    .answer_done_o  (answer_done),
    .hold_i,
    .held_o         (held),
    .available_i    (available),
    .waiting_i,
    .position_i     ({16 * Queues{1'b0}}),
    .offset_o       (),
    .word_i         ({32 * Queues{1'b0}}),
    .sent_o         (sent),
    .length_o       (),
    .valid_o        (valid),
    .header_o       (header),
    .words_o        (),
    .index_i        (2'd0),
    .word_o         (),
    .begin_i        (valid & begin_i),
    .done_i         (sending_q & done_i),
    .busy_i         (sending_q)
  );

  // A frame begins to be sent; of what kind.
  logic begins, answer_begins, event_begins;
  assign begins        = valid & begin_i;
  assign answer_begins = begins && header[7:0] == xt_bridge_pkg::KindInfo;
  assign event_begins  = begins && header[7:0] == xt_bridge_pkg::KindEvent;

  // Other frames begun while the answer waits.
  logic [2:0] before_answer = '0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || !answers || answer_done || answer_begins) before_answer <= '0;
    else if (begins) before_answer <= before_answer + 1'b1;
  end

  (* anyconst *) logic [Queues-1:0] watched;
  logic [4:0] before_packet = '0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || hold_i || (available & watched) == '0 || (sent & watched) != '0) before_packet <= '0;
    else if (begins) before_packet <= before_packet + 1'b1;
  end

  // Events that were sent while NIC port 0 has to be told as one with a packet that waits: the last of all events.
  logic attends = 1'b0, waited_q = 1'b0;
  logic [5:0] before_event = '0;
  logic told;
  assign told = event_begins && header[55:48] == xt_bridge_pkg::EventWaiting && header[47:32] == 16'd0;
  always_ff @(posedge clk_i) begin
    waited_q <= rst_n & ~sync_i & waiting_i[0];
    attends  <= rst_n & ((waiting_i[0] & ~waited_q) | (attends & ~told));
    if (!rst_n || !attends || told) before_event <= '0;
    else if (event_begins) before_event <= before_event + 1'b1;
  end

  always_comb begin
    one_is_watched : assume (watched != '0 && (watched & (watched - 1'b1)) == '0);
    answer_waits_for_two_frames : assert (before_answer <= 3'd2);
    packet_waits_for_one_of_each_other : assert (32'(before_packet) <= 3 * Queues);
    event_waits_for_two_rounds : assert (32'(before_event) <= 2 * Events);
  end

endmodule

`default_nettype wire
