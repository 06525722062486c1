// SPDX-License-Identifier: Apache-2.0
//
// xt_voq_buffer against counters and one watched packet. The input unit may do whatever the rules of
// xt_input_unit allow. Packets of any length come with gaps, in any order of queues, within the credits.
//
// The watched packet is any one of them. The packet leaves exactly at its turn in its own queue: whole, in
// order and unaltered. None of its cells leaves otherwise, moved to another queue or not. The watched packet
// stands for every packet, so nothing is lost, duplicated or moved between queues.
//
// A queue may be matched in cycle t under three conditions. In t-1 the queue was nonempty and the class of
// its head fitted. In t the queue is not served. The input is not busy: no stream goes on as of
// t-1, and the match of t-1 started only a packet known to be short.
//
// The last queue is adaptive. Its head may go to its escape instead, which is one of the other queues. Heads
// go there one at a time. Such a head is enqueued as soon as no new packet is.
//
// A free cell for each arriving cell needs no proof here. A packet comes only if the credits of the sender
// cover all of it, and the credits count the cells of this buffer (credit_counter).
`default_nettype none

module voq_buffer_proof #(
  parameter int Cells = 8,
  parameter int LenBits = 2,
  /// 2 or 3.
  parameter int Queues = 3,
  /// The last queue's packets can be moved.
  parameter int Requeue = 1,
  /// Packets may enter a ring.
  parameter int Bubble = 0,
  /// How many packets come; 0 for any number.
  parameter int Packets = 0,
  /// Cells of the shortest length class.
  parameter int Short = 1,
  /// The variant for devices without LUT RAM.
  parameter int BlockRamOnly = 0,
  localparam int AddrBits = $clog2(Cells),
  localparam int CountBits = AddrBits + 1,
  localparam int QueueBits = $clog2(Queues)
) (
  input logic               clk_i,
  input logic               arrives_i,
  input logic [LenBits-1:0] length_i,
  input logic [QueueBits-1:0] queue_i,
  input logic               vc_i,
  input logic               enters_i,
  input logic               escape_i,  // its queue
  input logic               watch_i,
  input logic               data_i,
  input logic               serves_i,
  input logic [QueueBits-1:0] serve_queue_i,
  input logic               moves_i
);

  // A credit needs this many cycles at least until the cell it allows arrives.
  localparam int CreditCycles = 3;
  localparam int Longest = 1 << LenBits;
  localparam int Classes = 2 + Bubble;
  localparam int ClassBits = $clog2(Classes);
  localparam logic [Classes*8-1:0] LengthClass = (Classes * 8)'({8'(2 * Longest), 8'(Longest), 8'(Short)});
  localparam logic [Queues-1:0] FirstQueue = Queues'(1);
  localparam logic [CountBits-1:0] One = CountBits'(1);

  logic rst_n = 1'b0;
  logic init = 1'b1;
  logic [AddrBits-1:0] init_addr = '0;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (rst_n && init) begin
      init_addr <= init_addr + 1'b1;
      if (init_addr == AddrBits'(Cells - 1)) init <= 1'b0;
    end
  end

  logic checked;
  assign checked = rst_n && !init;

  // ---------------------------------------------------------------- arrivals
  logic               in_packet = 1'b0, head_q = 1'b0, head_watched_q = 1'b0;
  logic [LenBits-1:0] left, len_q, index;
  logic [QueueBits-1:0] queue_q;
  logic               vc_q, enters_q, escape_q, watching = 1'b0, used_up = 1'b0;
  logic               write, head, last, watched_now;
  logic [CountBits-1:0] credit = CountBits'(Cells);
  logic [CreditCycles-1:0] returning = '0;
  logic               cell_valid, cell_first;

  logic [2:0] packets = '0;
  logic       more;
  assign more        = Packets == 0 || 32'(packets) < Packets;
  assign head        = write && !in_packet;
  assign last        = in_packet ? left == LenBits'(1) : length_i == '0;
  assign write       = !init && arrives_i && (in_packet || (credit > CountBits'(length_i) && more));
  assign watched_now = in_packet ? watching : (head && watch_i && !used_up);

  always_ff @(posedge clk_i) begin
    returning <= {returning[CreditCycles-2:0], cell_valid && checked};
    credit    <= credit + CountBits'(returning[CreditCycles-1]) - (head ? CountBits'(length_i) + One : '0);
    if (write) begin
      in_packet <= !last;
      left      <= in_packet ? left - 1'b1 : length_i;
      index     <= in_packet ? index + 1'b1 : LenBits'(1);
      watching  <= watched_now && !last;
    end
    head_q         <= head;
    head_watched_q <= head && watched_now;
    if (head) begin
      packets  <= packets + 1'b1;
      len_q    <= length_i;
      queue_q  <= queue_i;
      vc_q     <= vc_i;
      enters_q <= enters_i && Bubble != 0;
      escape_q <= escape_i && Queues == 3;
      if (watched_now) used_up <= 1'b1;
    end
  end

  // The cell: the mark of the watched packet, its index there, and a bit that is remembered.
  logic [LenBits+1:0] cell_in, cell_out;
  logic [Longest-1:0] bits;
  assign cell_in = {watched_now, in_packet ? index : LenBits'(0), data_i};
  always_ff @(posedge clk_i) if (write && watched_now) bits[in_packet ? index : LenBits'(0)] <= data_i;

  // ---------------------------------------------------------------- the input unit
  logic [Queues-1:0] nonempty, short_of, short_next, head_from_next, match, cell_output;
  logic [Queues-1:0] short_next_q;  // what was told of this cycle in the last one
  logic match_from_next_q       = 1'b0;
  logic [Queues-1:0] nonempty_q = '0, match_q = '0, output_q = '0, moved_onehot;
  logic [ClassBits*Queues-1:0] head_class, class_q;
  logic [QueueBits-1:0] match_queue_q, enqueue_queue;
  logic [1:0] requeue_escape;
  logic       busy_next, busy_q = 1'b0, may_move_q = 1'b0, move, move_q = 1'b0, move_qq = 1'b0;
  logic       requeue, turn, requeue_waits, requeue_vc, cell_vc, cell_out_vc, active;
  logic [LenBits-1:0] cell_len;
  logic [CountBits-1:0] free;

  assign match = (checked && serves_i && !busy_q && 32'(serve_queue_i) < Queues)
               ? (FirstQueue << serve_queue_i) & nonempty_q & ~match_q : '0;
  // Decided in the cycle before: then nothing was on its way out of its queue.
  assign move  = Requeue != 0 && moves_i && may_move_q && match[Queues-1];

  assign requeue       = rst_n && turn;
  assign enqueue_queue = head_q ? queue_q : requeue_escape[QueueBits-1:0];
  assign moved_onehot  = (head_q || requeue) ? FirstQueue << enqueue_queue : '0;

  always_ff @(posedge clk_i) begin
    nonempty_q        <= nonempty;
    class_q           <= head_class;
    short_next_q      <= short_next;
    may_move_q        <= !(requeue_waits || move || move_q || move_qq);
    match_q           <= match;
    match_queue_q     <= serve_queue_i;
    match_from_next_q <= (match & head_from_next) != '0;
    move_q            <= move;
    move_qq           <= move_q;
    if (match != '0) output_q <= move ? '0 : match;
    busy_q        <= rst_n && (busy_next || (match != '0 && !move && (match & short_of) == '0));
  end

  xt_voq_buffer #(
    .CellBits   (LenBits + 2),
    .Cells      (Cells),
    .Queues     (Queues),
    .QueueBits  (QueueBits),
    .LenBits    (LenBits),
    .VcBits     (1),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Bubble     (Bubble),
    .Outputs    (Queues),
    .Requeue    (Requeue),
    .EscapeBits (2),
    .BlockRamOnly(BlockRamOnly)
  ) i_dut (
    .clk_i,
    .rst_ni            (rst_n),
    .init_i            (init && rst_n),
    .init_addr_i       (16'(init_addr)),
    .write_i           (write),
    .write_head_i      (head),
    .write_last_i      (last),
    .write_cell_i      (cell_in),
    .write_len_i       (length_i),
    .write_vc_i        (vc_i),
    .write_enters_i    (enters_i && Bubble != 0),
    .enqueue_i         (head_q || requeue),
    .enqueue_queue_i   (enqueue_queue),
    .enqueue_onehot_i  (moved_onehot),
    .enqueue_escape_i  ({1'b0, escape_q}),
    .enqueue_requeued_i(requeue),
    .nonempty_o        (nonempty),
    .class_o           (head_class),
    .short_o           (short_of),
    .short_next_o      (short_next),
    .head_from_next_o  (head_from_next),
    .busy_next_o       (busy_next),
    .serve_next_i      (serve_queue_i),
    .serve_i           (match_q),
    .serve_queue_i     (match_queue_q),
    .serve_from_next_i (match_from_next_q),
    .serve_valid_i     (match_q != '0),
    .serve_output_i    (output_q),
    .serve_vc_i        (1'b0),
    .serve_first_i     (match_q != '0 && !move_q),
    .requeue_i         (move_q),
    .requeue_waits_o   (requeue_waits),
    .requeue_not_next_i(head),
    .requeue_turn_o    (turn),
    .requeue_escape_o  (requeue_escape),
    .requeue_vc_o      (requeue_vc),
    .cell_valid_o      (cell_valid),
    .cell_first_o      (cell_first),
    .cell_o            (cell_out),
    .cell_vc_o         (cell_vc),
    .cell_len_o        (cell_len),
    .cell_output_o     (cell_output),
    .cell_out_vc_o     (cell_out_vc),
    .free_o            (free),
    .active_o          (active)
  );

  // ---------------------------------------------------------------- what must come out
  logic [Queues*CountBits-1:0] count = '0;  // packets queued and not matched, per queue
  logic [Queues-1:0] queued;  // there are such
  logic [CountBits-1:0] held = '0;  // cells written and not read
  logic [CountBits-1:0] out = '0;  // packets moved and not yet enqueued again: 0 or 1
  logic [CountBits-1:0] behind;  // packets of the queue that the watched one joins
  logic       waits = 1'b0, aside = 1'b0;  // the watched packet is queued; is being moved
  logic       whole = 1'b0;  // all of it has arrived
  logic [CountBits-1:0] ahead;  // packets before it in its queue
  logic [QueueBits-1:0] watched_queue;
  logic [LenBits-1:0] watched_len, seen;
  logic       watched_vc, watched_enters, watched_escape;
  logic       leaving_s = 1'b0, leaving_x = 1'b0, leaving_more = 1'b0, gapless = 1'b0;
  logic       watched_match, joins;
  logic [2:0] idle = '0;

  assign watched_match = waits && ahead == '0 && match[watched_queue];
  assign joins         = head_watched_q || (aside && requeue);

  always_comb begin
    behind = '0;
    for (int q = 0; q < Queues; q++) begin
      queued[q] = count[q*CountBits+:CountBits] != '0;
      if (enqueue_queue == q[QueueBits-1:0]) behind = behind | count[q*CountBits+:CountBits];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int q = 0; q < Queues; q++) begin
      count[q*CountBits+:CountBits] <= count[q*CountBits+:CountBits] + CountBits'(moved_onehot[q]) - CountBits'(match[q]);
    end
    out  <= out + CountBits'(move) - CountBits'(requeue);
    held <= held + CountBits'(write) - CountBits'(cell_valid && rst_n);
    if (head_watched_q) begin
      watched_len    <= len_q;
      watched_vc     <= vc_q;
      watched_enters <= enters_q;
      watched_escape <= escape_q;
    end
    if (joins) begin
      waits         <= 1'b1;
      aside         <= 1'b0;
      watched_queue <= enqueue_queue;
      ahead         <= behind - CountBits'(match[enqueue_queue]);
    end else if (watched_match) begin
      waits <= 1'b0;
      aside <= move;
    end else if (waits && match[watched_queue]) begin
      ahead <= ahead - 1'b1;
    end
    if (write && watched_now && last) whole <= 1'b1;
    leaving_s <= watched_match && !move;
    if (watched_match && !move) gapless <= whole || (write && watched_now && last);
    leaving_x <= leaving_s;
    // From its first cell on, until its last.
    if (leaving_x) begin
      leaving_more <= watched_len != '0;
      seen         <= LenBits'(1);
    end else if (leaving_more && cell_valid) begin
      leaving_more <= seen != watched_len;
      seen         <= seen + 1'b1;
    end
    if (!checked || queued != '0 || out != '0 || write || in_packet || head_q || match != '0 || busy_q)
      idle <= '0;
    else if (idle != '1) idle <= idle + 1'b1;
  end

  // A class covers the packet: class 0 up to Short cells, the class of the rings one that enters a ring.
  function automatic logic covers(input logic [ClassBits-1:0] class_of, input logic [LenBits-1:0] len,
                                  input logic enters);
    covers = class_of != '0 || 32'(len) < Short;
    if (enters && class_of != ClassBits'(Classes - 1)) covers = 1'b0;
  endfunction
  logic [ClassBits-1:0] class_now, class_before;
  always_comb begin
    for (int b = 0; b < ClassBits; b++) begin
      class_now[b]    = head_class[b*Queues+32'(watched_queue)];
      class_before[b] = class_q[b*Queues+32'(watched_queue)];
    end
  end

  // What cell_out must be: a cell of the watched packet, or of another. It comes a cycle later.
  logic [LenBits+1:0] told_cell, expected_cell;
  logic               told_known, told_another, cell_is_known = 1'b0, cell_is_another = 1'b0;
  assign told_known   = checked && (leaving_x || (leaving_more && cell_valid));
  assign told_another = checked && cell_valid && !leaving_x && !leaving_more;
  assign told_cell    = leaving_x ? {1'b1, LenBits'(0), bits[0]} : {1'b1, seen, bits[seen]};
  always_ff @(posedge clk_i) begin
    expected_cell   <= told_cell;
    cell_is_known   <= told_known;
    cell_is_another <= told_another;
  end

  always_comb begin
    queue_exists : assume (32'(queue_i) < Queues);
    if (checked) begin
      nonempty_exact : assert (nonempty == (queued | moved_onehot));
      nothing_is_matched_twice : assert ((match & ~queued) == '0);
      if (watched_match) begin
        class_covers_the_match : assert (covers(class_before, watched_len, watched_enters));
        short_is_short : assert (!short_of[watched_queue] || watched_len == '0);
        short_was_told_of_short : assert (!short_next_q[watched_queue] || short_of[watched_queue]);
      end
      if (waits && ahead == '0) class_covers_the_head : assert (covers(class_now, watched_len, watched_enters));
      if (aside && requeue) begin
        moves_to_its_escape : assert (enqueue_queue == QueueBits'(watched_escape));
        moves_with_its_vc : assert (requeue_vc == watched_vc);
      end
      moves_when_no_head_comes : assert (requeue == (requeue_waits && !head_q));
      moves_one : assert (out <= One && !(requeue && out == '0));
      if (cell_is_known) cell_is_the_cell : assert (cell_out == expected_cell);
      if (cell_is_another) watched_cells_leave_once : assert (!cell_out[LenBits+1]);
      if (leaving_x) begin
        first_cell_leaves_in_time : assert (cell_valid && cell_first);
        length_kept : assert (cell_len == watched_len);
        vc_kept : assert (cell_vc == watched_vc);
        output_kept : assert (cell_output == (FirstQueue << watched_queue));
      end else if (leaving_more) begin
        if (cell_valid)
          next_cell_is_the_next : assert (!cell_first && cell_output == (FirstQueue << watched_queue)
                                          && cell_vc == watched_vc);
        if (gapless) no_gap_without_need : assert (cell_valid);
      end
      cells_are_free_or_held : assert (free == CountBits'(Cells) - held);
      // Nothing queued, nothing on its way: then no cell is left behind.
      if (idle > 3'd2) nothing_is_left_behind : assert (held == '0 && !active);
    end
  end

endmodule

`default_nettype wire
