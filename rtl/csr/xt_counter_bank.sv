// SPDX-License-Identifier: Apache-2.0
//
// Bank of 32-bit counters in one block RAM: Banks times Counters, each with an event of its own in every cycle. A counter that
// passes 2^Width goes on from 0 and says so.
// Events gather in xt_event_counters. A scan visits counter 0, 1, ... of all banks at once. A visit shifts the gathered
// events out, bit by bit, then adds them to the RAM, bank after bank. Events of a visited counter
// during the visit are counted aside and added with the rest, so no event is lost.
//
// A read is a visit out of turn that returns the word just written: exact at the moment of the visit.
// Between two reads the scan continues if events are waiting, so no reader can make a counter
// overflow. A scan's visit needs an event since the visit before. Without events the scan stands still, and gathered
// events stay until a read.
//
// A counter is visited at least once in Counters * (2*Visit + 2) cycles with events, where Visit =
// 2*ShortBits + 2 + Banks. An elaboration check holds this bound against the capacity of the gathering registers.
//
// Latency: a read takes at most 3*Visit + 6 cycles, Visit + 6 without events.
// Speed: a 32-bit adder between block RAM and register; an OR of Counters gated bits per bank.
`default_nettype none

module xt_counter_bank #(
  /// Number of banks.
  parameter int Banks = 2,
  /// Counters of a bank.
  parameter int Counters = 3,
  /// Bit b*Counters + c: counter c of bank b can have events; the others read 0.
  parameter logic [Banks*Counters-1:0] Present = {(Banks * Counters) {1'b1}},
  /// Width of the gathering registers, see xt_event_counters.
  parameter int ShortBits = 5,
  /// Width of a counter.
  parameter int Width = 32,
  /// Bits of a bank number.
  localparam int BankBits = (Banks > 1) ? $clog2(Banks) : 1,
  /// Bits of a counter number.
  localparam int IndexBits = (Counters > 1) ? $clog2(Counters) : 1
) (
  /// Clock.
  input  logic                      clk_i,
  /// Reset, active low, synchronous.
  input  logic                      rst_ni,
  /// Clear word init_addr_i of the RAM; must run through Banks << IndexBits words after reset, and no event
  /// may come before it ends.
  input  logic                      init_i,
  /// Word to clear.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [              15:0] init_addr_i,
  // verilator lint_on UNUSEDSIGNAL
  /// Events of this cycle: bit b*Counters + c.
  input  logic [Banks*Counters-1:0] event_i,
  /// One of them is set (or might be).
  input  logic                      any_event_i,
  /// The visited counter: the caller finds its event with less logic than a selection out of all events.
  output logic [     IndexBits-1:0] visited_o,
  /// Event of the visited counter in this cycle, in each bank.
  input  logic [         Banks-1:0] visited_event_i,
  /// Ask for a counter; the next request must wait for the answer.
  input  logic                      read_i,
  /// Bank of the counter.
  input  logic [      BankBits-1:0] read_bank_i,
  /// Number of the counter.
  input  logic [     IndexBits-1:0] read_index_i,
  /// An answer is still to come: from the second cycle after read_i on, and in its own cycle.
  output logic                      read_due_o,
  /// The answer.
  output logic                      read_valid_o,
  /// The counter's value.
  output logic [         Width-1:0] read_data_o,
  /// A counter of the bank passed 2^Width; not later than the answer to a read that shows it.
  output logic [         Banks-1:0] wrapped_o,
  /// A visit is going on or due.
  output logic                      busy_o
);

  localparam int LongBits = ShortBits + 1;
  localparam int Bits = ShortBits + LongBits;
  localparam int StepBits = $clog2(Bits + 1);
  localparam int Visit = 1 + Bits + Banks;
  localparam int Capacity = (2 ** ShortBits - 1) * (2 ** LongBits - 1) - 1;
  localparam int AddrBits = BankBits + IndexBits;

  if (Capacity < Counters * (2 * Visit + 2) || Width <= Bits) begin : g_illegal
    xt_counter_bank_short_bits_or_width_are_too_few i_illegal ();
  end

  // ---------------------------------------------------------------- visits
  logic                 moved_q;  // an event since the scan's last visit began
  logic                 asked_q;  // a read waits
  logic                 read_last_q;  // the last visit was a read
  logic [ BankBits-1:0] read_bank_q;
  logic [IndexBits-1:0] read_index_q, scan_index_q, index_q, index;
  logic                 shift_q, add_q, reading_q;
  logic [ StepBits-1:0] step_q;
  logic [ BankBits-1:0] bank_q;
  logic                 start, start_read;
  logic [ Counters-1:0] select_q;

  assign start_read = asked_q & ~(read_last_q & moved_q);
  assign start      = ~init_i & ~shift_q & ~add_q & (asked_q | moved_q);
  assign index      = start_read ? read_index_q : scan_index_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      moved_q      <= 1'b0;
      asked_q      <= 1'b0;
      read_last_q  <= 1'b0;
      scan_index_q <= '0;
      shift_q      <= 1'b0;
      add_q        <= 1'b0;
      select_q     <= '0;
    end else begin
      moved_q <= any_event_i | (moved_q & ~(start & ~start_read));
      asked_q <= read_i | (asked_q & ~(start & start_read));
      if (start) begin
        read_last_q <= start_read;
        shift_q     <= 1'b1;
        for (int c = 0; c < Counters; c++) select_q[c] <= (index == c[IndexBits-1:0]);
        if (!start_read)
          scan_index_q <= (scan_index_q == IndexBits'(Counters - 1)) ? '0 : scan_index_q + 1'b1;
      end
      if (shift_q && step_q == StepBits'(Bits - 1)) begin
        shift_q  <= 1'b0;
        select_q <= '0;
        add_q    <= 1'b1;
      end
      if (add_q && bank_q == BankBits'(Banks - 1)) add_q <= 1'b0;
    end
    step_q <= shift_q ? step_q + 1'b1 : '0;
    bank_q <= add_q ? bank_q + 1'b1 : '0;
    if (start) begin
      reading_q <= start_read;
      index_q   <= index;
    end
    if (read_i) begin
      read_bank_q  <= read_bank_i;
      read_index_q <= read_index_i;
    end
  end

  // ---------------------------------------------------------------- gathering
  // The collected bits of each bank, and events of the visited counter during the collection.
  logic [    Banks*Bits-1:0] collected_q;
  logic [Banks*StepBits-1:0] aside_q;

  for (genvar b = 0; b < Banks; b++) begin : g_bank
    logic tail;

    xt_event_counters #(
      .Counters (Counters),
      .Present  (Present[b*Counters+:Counters]),
      .ShortBits(ShortBits)
    ) i_event_counters (
      .clk_i,
      .rst_ni,
      .event_i(event_i[b*Counters+:Counters]),
      .shift_i(select_q),
      .tail_o (tail)
    );

    always_ff @(posedge clk_i) begin
      if (shift_q) collected_q[b*Bits+:Bits] <= {collected_q[b*Bits+:Bits-1], tail};
      if (!shift_q && !add_q) aside_q[b*StepBits+:StepBits] <= '0;
      else if (shift_q && visited_event_i[b])
        aside_q[b*StepBits+:StepBits] <= aside_q[b*StepBits+:StepBits] + 1'b1;
    end
  end

  // ---------------------------------------------------------------- adding
  // Steps that a register of `bits` bits has made since it was zero.
  function automatic logic [LongBits-1:0] steps_of(input logic [LongBits-1:0] state, input int bits);
    logic [LongBits-1:0] passed, mask;
    logic                next;
    passed   = '0;
    mask     = ~({LongBits{1'b1}} << bits);
    steps_of = '0;
    for (int n = 0; n < 2 ** LongBits - 1; n++) begin
      if (LongBits'(n) < mask) begin
        if (state == passed) steps_of = steps_of | LongBits'(n);
        next   = ~(passed[bits-1] ^ passed[(bits==5)?2 : bits-2]);
        passed = {passed[LongBits-2:0], next} & mask;
      end
    end
  endfunction

  // 1: the bank's bits. 2: steps of both registers. 3: events, and the RAM's word. 4: their sum.
  logic                 valid1_q, valid2_q, valid3_q, valid4_q;
  logic                 answer1_q, answer2_q, answer3_q, answer4_q;
  logic [ AddrBits-1:0] addr1_q, addr2_q, addr3_q, addr4_q;
  logic [ StepBits-1:0] aside, aside1_q, aside2_q;
  logic [     Bits-1:0] collected, collected1_q;
  logic [ShortBits-1:0] short2_q, modulo, periods;
  logic [ LongBits-1:0] long2_q;
  logic [       Bits:0] events3_q;
  logic [    Width-1:0] word, sum4_q;
  logic                 wraps4_q;

  always_comb begin
    collected = '0;
    aside     = '0;
    for (int b = 0; b < Banks; b++) begin
      if (bank_q == b[BankBits-1:0]) begin
        collected = collected | collected_q[b*Bits+:Bits];
        aside     = aside | aside_q[b*StepBits+:StepBits];
      end
    end
  end

  // The number n of events has n mod Long = long2_q and n mod Short = short2_q. Long = 2^LongBits - 1 is 1 modulo
  // Short = 2^ShortBits - 1. So n = long2_q + periods * Long, with periods = short2_q - long2_q
  // modulo Short.
  assign modulo  = long2_q[ShortBits-1:0] + ShortBits'(long2_q[LongBits-1]);
  assign periods = (short2_q >= modulo) ? short2_q - modulo : short2_q - modulo - 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
      valid4_q <= 1'b0;
    end else begin
      valid1_q <= add_q;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      valid4_q <= valid3_q;
    end
    answer1_q    <= add_q & reading_q & (bank_q == read_bank_q);
    answer2_q    <= answer1_q;
    answer3_q    <= answer2_q;
    answer4_q    <= answer3_q;
    addr1_q      <= {bank_q, index_q};
    addr2_q      <= addr1_q;
    addr3_q      <= addr2_q;
    addr4_q      <= addr3_q;
    collected1_q <= collected;
    aside1_q     <= aside;
    aside2_q     <= aside1_q;
    if (valid1_q) begin
      long2_q  <= steps_of(collected1_q[Bits-1-:LongBits], LongBits);
      short2_q <= ShortBits'(steps_of(LongBits'(collected1_q[ShortBits-1:0]), ShortBits));
    end
    events3_q    <= {1'b0, periods, {LongBits{1'b0}}} - (Bits + 1)'(periods) + (Bits + 1)'(long2_q)
                  + (Bits + 1)'(aside2_q);
    {wraps4_q, sum4_q} <= {1'b0, word} + (Width + 1)'(events3_q);
  end

  xt_ram_1r1w #(
    .Width(Width),
    .Depth(2 ** AddrBits)
  ) i_counters (
    .clk_i,
    .we_i   (init_i | valid4_q),
    .waddr_i(init_i ? init_addr_i[AddrBits-1:0] : addr4_q),
    .wdata_i(init_i ? '0 : sum4_q),
    .raddr_i(addr2_q),
    .rdata_o(word)
  );

  assign visited_o    = index_q;
  // Of what makes the answer, so that nobody waits for one that an upset has taken away.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) read_due_o <= 1'b0;
    else read_due_o <= asked_q | (reading_q & (shift_q | add_q)) | answer1_q | answer2_q | answer3_q;
  end
  assign read_valid_o = valid4_q & answer4_q;
  assign read_data_o  = sum4_q;
  for (genvar b = 0; b < Banks; b++) begin : g_wrapped
    assign wrapped_o[b] = valid4_q & wraps4_q & (addr4_q[AddrBits-1:IndexBits] == b[BankBits-1:0]);
  end
  assign busy_o = init_i | any_event_i | moved_q | read_i | asked_q | shift_q | add_q | valid1_q | valid2_q
                | valid3_q | valid4_q;

`ifdef XT_ASSERT
  logic [Banks-1:0] visited_wrong;
  logic             unannounced;
  // Cycles with events since the scan was at counter 0; every counter waits as long.
  logic [     Bits:0] round_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || (start && !start_read && scan_index_q == '0)) round_q <= '0;
    else if (any_event_i) round_q <= round_q + 1'b1;
  end
  always_comb begin
    for (int b = 0; b < Banks; b++) begin
      visited_wrong[b] = visited_event_i[b] != ((event_i[b*Counters+:Counters] & select_q
                                                & Present[b*Counters+:Counters]) != '0);
    end
    unannounced = !any_event_i && (event_i & Present) != '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      counter_bank_visited_event : assert (!shift_q || visited_wrong == '0);
      counter_bank_any_event : assert (!unannounced);
      counter_bank_answer_is_due : assert (!read_valid_o || read_due_o);
      counter_bank_scan_is_in_time : assert (32'(round_q) <= Counters * (2 * Visit + 2));
    end
  end
`endif

endmodule

`default_nettype wire
