// SPDX-License-Identifier: Apache-2.0
//
// xt_counter_bank against plain counters: with any events and any reads, what a read returns is the count of
// some moment between question and answer. And in every reachable state, with events and reads without end,
// the scan comes round before a gathering register can overflow (an assertion of the bank itself).
`default_nettype none

module counter_bank_proof #(
  /// 1: hold the values too, 0: only the bank's own assertions.
  parameter int Values = 1
) (
  input logic       clk_i,
  input logic [5:0] event_i,
  input logic       asks_i,
  input logic       ask_bank_i,
  input logic [1:0] ask_index_i
);

  localparam int Banks = 2;
  localparam int Counters = 3;
  localparam int ShortBits = 3;
  localparam int IndexBits = 2;
  localparam int Words = Banks << IndexBits;

  logic rst_n = 1'b0;
  logic init = 1'b1;
  logic [3:0] init_addr = '0;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (rst_n && init) begin
      init_addr <= init_addr + 1'b1;
      if (init_addr == 4'(Words - 1)) init <= 1'b0;
    end
  end

  logic [Banks*Counters-1:0] events;
  logic [     IndexBits-1:0] visited;
  logic [         Banks-1:0] visited_event;
  logic                      asks, waits = 1'b0, waited = 1'b0, due, answered, busy;
  logic [              31:0] value;

  assign events = (rst_n && !init) ? event_i : '0;
  assign asks   = rst_n && !init && asks_i && !waits;
  for (genvar b = 0; b < Banks; b++) begin : g_visited
    logic [3:0] of_bank;
    assign of_bank          = 4'(events[b*Counters+:Counters]);
    assign visited_event[b] = of_bank[visited];
  end

  xt_counter_bank #(
    .Banks    (Banks),
    .Counters (Counters),
    .ShortBits(ShortBits)
  ) i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .init_i         (init),
    .init_addr_i    (16'(init_addr)),
    .event_i        (events),
    .any_event_i    (events != '0),
    .visited_o      (visited),
    .visited_event_i(visited_event),
    .read_i         (asks),
    .read_bank_i    (ask_bank_i),
    .read_index_i   (ask_index_i),
    .read_due_o     (due),
    .read_valid_o   (answered),
    .read_data_o    (value),
    .busy_o         (busy)
  );

  // One counter, any one, counted plainly; the reads are of it.
  (* anyconst *)logic watched_bank;
  (* anyconst *)logic [1:0] watched_index;
  logic [5:0] count = '0, count_asked = '0;
  logic [3:0] of_watched;
  logic       watched_event;

  assign of_watched    = 4'(watched_bank ? events[Counters+:Counters] : events[0+:Counters]);
  assign watched_event = of_watched[watched_index];

  always_ff @(posedge clk_i) begin
    count  <= count + 6'(watched_event);
    waited <= waits;
    if (asks) begin
      waits       <= 1'b1;
      count_asked <= count;
    end else if (answered) begin
      waits <= 1'b0;
    end
  end

  always_comb begin
    watched_exists : assume (32'(watched_index) < Counters);
    asks_watched : assume (ask_bank_i == watched_bank && ask_index_i == watched_index);
    if (rst_n && !init) begin
      if (Values != 0) begin
        answer_was_asked_for : assert (!answered || waits);
        answer_that_was_asked_for_is_due : assert (!(waits && waited) || due);
        answer_is_the_count : assert (!answered || (value >= 32'(count_asked) && value <= 32'(count)));
      end
    end
  end

endmodule

`default_nettype wire
