// SPDX-License-Identifier: Apache-2.0
//
// The shared multi-queue buffer of one input: one cell memory, and in it one linked list of packets per
// virtual output queue. A queue holds packets for one (output, VC), so every packet in it waits for the
// same thing and none is held up by another that waits for something else.
//
// Cells of a packet are chained through `chain`; heads of packets are chained through `follow`, which
// also holds the length and the input VC of the packet. Both are block RAMs, written once per packet or
// cell and read once. Queue state is in distributed RAM (tail, head, packet counts); only what the
// arbiter looks at in every cycle is in registers: nonempty, "two or more", and the length class of the
// head.
//
// Pipeline, for a head cell that is at the input in cycle 0:
//   0  cell memory written at the free list's head
//   1  enqueue_i: nonempty_o and class_o follow
//   2  the packet is linked to its queue; the arbiter may serve it (serve_i)
//   3  cell memory read (stage S)
//   4  cell_valid_o with the cell (stage X)
// One packet per cycle can be enqueued and one served, also of the same queue in every cycle, also if
// each has one cell: the head of a queue is forwarded from the read of `follow`.
//
// A packet may be served while its cells still arrive, with gaps; the stream then waits for them.
//
// Speed: `follow` or `chain` clock-to-out, two multiplexers, address of the next read.
//
// Invariants: free list and packets partition the memory; no cell is lost, duplicated or moved between
// queues; nonempty_o is exact. tests/proofs checks them for a bounded number of cycles, tests/switch in
// long random runs.
`default_nettype none

module xt_voq_buffer #(
  /// Bits of a cell.
  parameter int CellBits = 32,
  /// Number of cells; a power of two.
  parameter int Cells = 16,
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Bits of an input VC number.
  parameter int VcBits = 1,
  /// Number of length classes of the credit check.
  parameter int Classes = 1,
  /// Cells of each length class, 8 bits each, ascending from the low bits.
  parameter logic [Classes*8-1:0] LengthClass = 8'd4,
  /// Number of outputs.
  parameter int Outputs = 2,
  /// Bits of a cell address.
  localparam int AddrBits = $clog2(Cells),
  /// Bits of a queue number.
  localparam int QueueBits = (Queues > 1) ? $clog2(Queues) : 1,
  /// Bits of a length class.
  localparam int ClassBits = (Classes > 1) ? $clog2(Classes) : 1
) (
  /// Clock.
  input  logic                        clk_i,
  /// Reset, active low, synchronous.
  input  logic                        rst_ni,
  /// Initialisation: clear queue and free cell init_addr_i; must run through all of both.
  input  logic                        init_i,
  /// Initialisation: the queue and cell.
  input  logic [                15:0] init_addr_i,

  /// A cell arrives.
  input  logic                        write_i,
  /// It is the first of its packet.
  input  logic                        write_head_i,
  /// It is the last of its packet.
  input  logic                        write_last_i,
  /// The cell.
  input  logic [        CellBits-1:0] write_cell_i,

  /// Enqueue the packet whose head was written in the previous cycle.
  input  logic                        enqueue_i,
  /// Its queue.
  input  logic [       QueueBits-1:0] enqueue_queue_i,
  /// Its length, minus one.
  input  logic [         LenBits-1:0] enqueue_len_i,
  /// The VC it came on.
  input  logic [          VcBits-1:0] enqueue_vc_i,

  /// Queues that hold a packet which is not served yet.
  output logic [          Queues-1:0] nonempty_o,
  /// Length class of the head of each queue, at least; bit b of queue q is at b*Queues + q.
  output logic [ClassBits*Queues-1:0] class_o,
  /// A stream goes on in the next cycle: serve nothing.
  output logic                        busy_o,
  /// A stream that began in this cycle goes on in the next: what is served now must be cancelled. Late.
  output logic                        kill_o,

  /// Serve the head of a queue: one-hot, zero for none. Only when not busy and not cancelled. Late.
  input  logic [          Queues-1:0] serve_i,
  /// The same queue as a number.
  input  logic [       QueueBits-1:0] serve_queue_i,
  /// Output it goes to, one-hot; zero to drop it.
  input  logic [         Outputs-1:0] serve_output_i,
  /// VC it leaves on.
  input  logic [          VcBits-1:0] serve_vc_i,
  /// Output of the packet that is being read; meaningful with busy_o and kill_o.
  output logic [         Outputs-1:0] stream_output_o,

  /// A cell leaves.
  output logic                        cell_valid_o,
  /// It is the first of its packet.
  output logic                        cell_first_o,
  /// The cell.
  output logic [        CellBits-1:0] cell_o,
  /// The VC its packet came on.
  output logic [          VcBits-1:0] cell_vc_o,
  /// Length of its packet, minus one; valid with the first cell.
  output logic [         LenBits-1:0] cell_len_o,
  /// Output it goes to, one-hot; zero if it is dropped.
  output logic [         Outputs-1:0] cell_output_o,
  /// VC it leaves on.
  output logic [          VcBits-1:0] cell_out_vc_o,
  /// Number of free cells.
  output logic [          AddrBits:0] free_o,
  /// Something is in flight inside.
  output logic                        active_o
);

  if (Cells != (32'd1 << AddrBits)) begin : g_illegal_cells
    xt_voq_buffer_cells_must_be_a_power_of_two i_illegal ();
  end

  // What the list of packets holds of each packet.
  localparam int PacketBits = AddrBits + LenBits + VcBits;
  localparam int CountBits = AddrBits + 1;

  // ---------------------------------------------------------------- cells in
  logic [AddrBits-1:0] alloc;  // where the next cell goes
  logic [AddrBits-1:0] alloc_q;  // the same, one cycle ago
  logic                written_q;  // a cell was written in the last cycle, at alloc_q
  logic                open_q;  // a packet has begun to arrive and is not complete
  logic [AddrBits-1:0] open_head_q;  // its first cell
  logic                closed_q;  // a packet was completed in the last cycle

  logic                release_q;  // a cell was read in the last cycle
  logic [AddrBits-1:0] release_addr_q;

  xt_free_list #(
    .Cells(Cells)
  ) i_free_list (
    .clk_i,
    .rst_ni,
    .init_i     (init_i && init_addr_i < 16'(Cells)),
    .init_addr_i(init_addr_i[AddrBits-1:0]),
    .take_i     (write_i),
    .addr_o     (alloc),
    .give_i     (release_q),
    .give_addr_i(release_addr_q),
    .count_o    (free_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q <= 1'b0;
      open_q    <= 1'b0;
      closed_q  <= 1'b0;
    end else begin
      written_q <= write_i;
      closed_q  <= write_i & write_last_i;
      if (write_i) open_q <= ~write_last_i;
    end
    alloc_q <= alloc;
    if (write_i && write_head_i) open_head_q <= alloc;
  end

  // ---------------------------------------------------------------- stream state
  logic                 s_first_q;  // the first cell of a packet is read
  logic                 s_more_q;  // a further cell of a packet is read
  logic                 s_last_q;  // ... its last
  logic                 s_open_q;  // ... and it may not have arrived yet
  logic [  LenBits-1:0] s_left_q;  // cells left, this one included (s_more_q)
  logic [QueueBits-1:0] s_queue_q;
  logic [   Queues-1:0] s_onehot_q;  // the queue while s_first_q, else zero
  logic [  Outputs-1:0] s_output_q;
  logic [   VcBits-1:0] s_out_vc_q;
  logic [   VcBits-1:0] s_vc_q;
  logic                 held_q;  // the chain waits at held_addr_q
  logic [AddrBits-1:0]  held_addr_q;

  logic [PacketBits-1:0] s_packet;
  logic [AddrBits-1:0]   s_head_addr, s_addr, chain_next;
  logic [ LenBits-1:0]   s_len;
  logic [  VcBits-1:0]   s_vc;
  logic                  s_wait, s_read;

  // ---------------------------------------------------------------- queues of packets
  logic                  e_valid_q;  // link the packet at e_packet_q to e_queue_q
  logic [ QueueBits-1:0] e_queue_q;
  logic [PacketBits-1:0] e_packet_q;
  logic                  e_empty;

  logic                  f_valid_q;  // `follow` shows the new head of f_queue_q
  logic [ QueueBits-1:0] f_queue_q;
  logic [    Queues-1:0] f_onehot_q;  // zero unless f_valid_q
  logic [PacketBits-1:0] follow_next;

  logic [     Queues-1:0] nonempty_q, several_q, from_follow_q;
  logic [ClassBits*Queues-1:0] class_q;

  logic [ CountBits-1:0] e_in_count, e_out_count, s_in_count, s_out_count, s_behind, s_known;
  logic [  AddrBits-1:0] e_tail;
  logic [PacketBits-1:0] head_linked, head_followed;
  logic                  s_refill, s_enqueue_same;

  assign s_enqueue_same = e_valid_q && (e_queue_q == s_queue_q);
  assign s_behind       = s_in_count - s_out_count - 1'b1;
  assign s_refill       = s_behind != '0;
  assign s_known        = s_behind + {{CountBits - 1{1'b0}}, s_enqueue_same};
  assign e_empty        = e_in_count == e_out_count
                        + {{CountBits - 1{1'b0}}, s_first_q && (e_queue_q == s_queue_q)};

  logic                 init_queue;
  logic [QueueBits-1:0] init_queue_number;
  assign init_queue        = init_i && init_addr_i < 16'(Queues);
  assign init_queue_number = init_addr_i[QueueBits-1:0];

  // Packets that went into and out of each queue, modulo more than can be in it.
  xt_ram_async #(
    .Width(CountBits),
    .Depth(Queues)
  ) i_in_count (
    .clk_i,
    .we_i     (init_queue | e_valid_q),
    .waddr_i  (init_queue ? init_queue_number : e_queue_q),
    .wdata_i  (init_queue ? '0 : e_in_count + 1'b1),
    .raddr_a_i(e_queue_q),
    .rdata_a_o(e_in_count),
    .raddr_b_i(s_queue_q),
    .rdata_b_o(s_in_count)
  );

  xt_ram_async #(
    .Width(CountBits),
    .Depth(Queues)
  ) i_out_count (
    .clk_i,
    .we_i     (init_queue | s_first_q),
    .waddr_i  (init_queue ? init_queue_number : s_queue_q),
    .wdata_i  (init_queue ? '0 : s_out_count + 1'b1),
    .raddr_a_i(e_queue_q),
    .rdata_a_o(e_out_count),
    .raddr_b_i(s_queue_q),
    .rdata_b_o(s_out_count)
  );

  logic [AddrBits-1:0] unused_tail;
  xt_ram_async #(
    .Width(AddrBits),
    .Depth(Queues)
  ) i_tail (
    .clk_i,
    .we_i     (e_valid_q),
    .waddr_i  (e_queue_q),
    .wdata_i  (e_packet_q[PacketBits-1-:AddrBits]),
    .raddr_a_i(e_queue_q),
    .rdata_a_o(e_tail),
    .raddr_b_i({QueueBits{1'b0}}),
    .rdata_b_o(unused_tail)
  );

  // The head of a queue was either linked to the empty queue or followed a packet that left; two
  // memories, as both can happen in one cycle. from_follow_q says which one holds it.
  logic [PacketBits-1:0] unused_linked, unused_followed;
  xt_ram_async #(
    .Width(PacketBits),
    .Depth(Queues)
  ) i_head_linked (
    .clk_i,
    .we_i     (e_valid_q && e_empty),
    .waddr_i  (e_queue_q),
    .wdata_i  (e_packet_q),
    .raddr_a_i(s_queue_q),
    .rdata_a_o(head_linked),
    .raddr_b_i({QueueBits{1'b0}}),
    .rdata_b_o(unused_linked)
  );

  xt_ram_async #(
    .Width(PacketBits),
    .Depth(Queues)
  ) i_head_followed (
    .clk_i,
    .we_i     (f_valid_q),
    .waddr_i  (f_queue_q),
    .wdata_i  (follow_next),
    .raddr_a_i(s_queue_q),
    .rdata_a_o(head_followed),
    .raddr_b_i({QueueBits{1'b0}}),
    .rdata_b_o(unused_followed)
  );

  xt_ram_1r1w #(
    .Width(PacketBits),
    .Depth(Cells)
  ) i_follow (
    .clk_i,
    .we_i   (e_valid_q && !e_empty),
    .waddr_i(e_tail),
    .wdata_i(e_packet_q),
    .raddr_i(s_head_addr),
    .rdata_o(follow_next)
  );

  xt_ram_1r1w #(
    .Width(AddrBits),
    .Depth(Cells)
  ) i_chain (
    .clk_i,
    .we_i   (written_q),
    .waddr_i(alloc_q),
    .wdata_i(alloc),
    .raddr_i(s_addr),
    .rdata_o(chain_next)
  );

  xt_ram_1r1w #(
    .Width(CellBits),
    .Depth(Cells)
  ) i_cells (
    .clk_i,
    .we_i   (write_i),
    .waddr_i(alloc),
    .wdata_i(write_cell_i),
    .raddr_i(s_addr),
    .rdata_o(cell_o)
  );

  // ---------------------------------------------------------------- stage S
  assign s_packet = (f_valid_q && f_queue_q == s_queue_q) ? follow_next
                  : from_follow_q[s_queue_q] ? head_followed : head_linked;
  assign {s_head_addr, s_len, s_vc} = s_packet;

  assign s_addr = s_first_q ? s_head_addr : held_q ? held_addr_q : chain_next;
  // The cell at alloc_q is not there yet, or its chain is not.
  assign s_wait = s_more_q && s_open_q && (s_addr == alloc_q);
  assign s_read = s_first_q | (s_more_q & ~s_wait);

  assign busy_o       = s_more_q & ~(s_last_q & ~s_open_q);
  assign kill_o       = s_first_q & (s_len != '0);
  assign stream_output_o = s_output_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_first_q  <= 1'b0;
      s_more_q   <= 1'b0;
      s_last_q   <= 1'b0;
      s_open_q   <= 1'b0;
      s_onehot_q <= '0;
      held_q     <= 1'b0;
    end else begin
      s_first_q  <= serve_i != '0;
      s_onehot_q <= serve_i;
      held_q     <= s_wait;
      if (s_first_q) begin
        s_more_q <= s_len != '0;
        s_last_q <= s_len == {{LenBits - 1{1'b0}}, 1'b1};
        s_open_q <= open_q && (s_head_addr == open_head_q);
      end else begin
        if (s_read) begin
          s_more_q <= s_more_q & ~s_last_q;
          s_last_q <= s_left_q == LenBits'(2);
        end
        if (closed_q) s_open_q <= 1'b0;
      end
    end
    if (serve_i != '0) begin
      s_queue_q <= serve_queue_i;
      s_output_q <= serve_output_i;
      s_out_vc_q <= serve_vc_i;
    end
    if (s_first_q) begin
      s_left_q <= s_len;
      s_vc_q   <= s_vc;
    end else if (s_read) begin
      s_left_q <= s_left_q - 1'b1;
    end
    if (s_wait) held_addr_q <= s_addr;
  end

  // ---------------------------------------------------------------- stage X
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cell_valid_o <= 1'b0;
      cell_first_o <= 1'b0;
    end else begin
      cell_valid_o <= s_read;
      cell_first_o <= s_first_q;
    end
    if (s_read) begin
      release_addr_q <= s_addr;
      cell_output_o  <= s_output_q;
      cell_out_vc_o  <= s_out_vc_q;
      cell_vc_o      <= s_first_q ? s_vc : s_vc_q;
    end
    if (s_first_q) cell_len_o <= s_len;
  end
  assign release_q = cell_valid_o;

  // ---------------------------------------------------------------- linking and queue flags
  function automatic logic [ClassBits-1:0] class_of(input logic [LenBits-1:0] len);
    class_of = '0;
    for (int c = 0; c + 1 < Classes; c++) begin
      if (32'(len) + 1 > 32'(LengthClass[c*8+:8])) class_of = ClassBits'(c + 1);
    end
  endfunction

  localparam logic [ClassBits-1:0] LongestClass = ClassBits'(Classes - 1);

  logic [   Queues-1:0] enqueue_onehot, linked_onehot, several, set_new, set_longest, set_followed;
  logic [ClassBits-1:0] class_new, class_followed;

  assign enqueue_onehot = enqueue_i ? (Queues'(1) << enqueue_queue_i) : '0;
  assign linked_onehot  = (e_valid_q && e_empty) ? (Queues'(1) << e_queue_q) : '0;
  // For a queue that was served in the last cycle several_q is clear and the counts tell.
  assign several        = several_q | (s_onehot_q & {Queues{s_known >= CountBits'(2)}});
  assign set_new        = enqueue_onehot & (~nonempty_q | (serve_i & ~several));
  // The length of the next packet is not known until `follow` is read.
  assign set_longest    = serve_i & several;
  assign set_followed   = f_onehot_q & ~s_onehot_q & ~serve_i;
  assign class_new      = class_of(enqueue_len_i);
  assign class_followed = class_of(follow_next[VcBits+:LenBits]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      nonempty_q    <= '0;
      several_q     <= '0;
      from_follow_q <= '0;
      class_q       <= '0;
      e_valid_q     <= 1'b0;
      f_valid_q     <= 1'b0;
      f_onehot_q    <= '0;
    end else begin
      nonempty_q    <= (serve_i & (several | enqueue_onehot))
                     | (~serve_i & (nonempty_q | enqueue_onehot));
      several_q     <= ~serve_i & (several | (nonempty_q & enqueue_onehot));
      from_follow_q <= (from_follow_q | f_onehot_q) & ~linked_onehot;
      for (int b = 0; b < ClassBits; b++) begin
        class_q[b*Queues+:Queues] <=
            (class_q[b*Queues+:Queues] & ~(set_new | set_longest | set_followed))
          | (class_new[b] ? set_new : '0) | (LongestClass[b] ? set_longest : '0)
          | (class_followed[b] ? set_followed : '0);
      end
      e_valid_q  <= enqueue_i;
      f_valid_q  <= s_first_q & s_refill;
      f_onehot_q <= s_refill ? s_onehot_q : '0;
    end
    if (enqueue_i) begin
      e_queue_q  <= enqueue_queue_i;
      e_packet_q <= {alloc_q, enqueue_len_i, enqueue_vc_i};
    end
    f_queue_q <= s_queue_q;
  end

  assign nonempty_o = nonempty_q;
  assign class_o    = class_q;
  assign active_o   = written_q | e_valid_q | f_valid_q | s_first_q | s_more_q | cell_valid_o
                    | (free_o != Cells[AddrBits:0]);

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      voq_serves_a_packet : assert ((serve_i & ~nonempty_q) == '0);
      voq_serves_one : assert ((serve_i & (serve_i - 1'b1)) == '0);
      voq_serves_when_free : assert (serve_i == '0 || !(busy_o || kill_o));
      voq_enqueues_a_written_head : assert (!enqueue_i || written_q);
    end
  end
`endif

endmodule

`default_nettype wire
