// SPDX-License-Identifier: Apache-2.0
//
// What the scheduler reads of each queue in every cycle, in registers: "all packets are of one cell" and the length class
// of the head. The length of the packet behind a served one is not known until that packet is read.
//
// Latency: class_o and short_next_o show the changes of the cycle, short_o those of the cycle before.
// Speed: serve_i, three levels for each queue by itself.
// Processes that loop in every cycle are `always @*`: Icarus 11 wakes such an always_comb by its own loop variables, for ever.
`default_nettype none

module xt_queue_flags #(
  /// Number of queues.
  parameter int Queues = 4,
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Number of length classes.
  parameter int Classes = 1,
  /// Cells of each length class, 8 bits each, ascending from the low bits.
  parameter logic [Classes*8-1:0] LengthClass = 8'd4,
  /// Packets that enter a ring are of the last class, whatever their length.
  parameter int Bubble = 0,
  /// Bits of a length class.
  localparam int ClassBits = (Classes > 1) ? $clog2(Classes) : 1
) (
  /// Clock.
  input  logic                        clk_i,
  /// Reset, active low, synchronous.
  input  logic                        rst_ni,

  /// Queue that gets a packet, one-hot; zero for none.
  input  logic [          Queues-1:0] enqueue_onehot_i,
  /// The queue, if the packet becomes its head.
  input  logic [          Queues-1:0] linked_i,
  /// Length class of the packet.
  input  logic [       ClassBits-1:0] enqueue_class_i,
  /// The packet is a single cell and enters no ring.
  input  logic                        enqueue_single_i,
  /// Served queue, one-hot; zero for none.
  input  logic [          Queues-1:0] serve_i,
  /// Queues that hold two packets at least.
  input  logic [          Queues-1:0] ge2_i,
  /// Queue served in the last cycle that is not empty, one-hot: its new head is known.
  input  logic [          Queues-1:0] next_onehot_i,
  /// Length of this head, minus one.
  input  logic [         LenBits-1:0] next_len_i,
  /// The head enters a ring.
  input  logic                        next_enters_i,

  /// Length class of the head of each queue, at least; bit b of queue q is at b*Queues + q.
  output logic [ClassBits*Queues-1:0] class_o,
  /// Queues whose head has one cell, for certain.
  output logic [          Queues-1:0] short_o,
  /// The same of the next cycle, as far as known.
  output logic [          Queues-1:0] short_next_o
);

`ifdef XT_SYNTHESIS
  localparam bit NoSkip = 1'b1;
`else
  localparam bit NoSkip = 1'b0;  // a simulator skips what no queue asks for
`endif
  localparam logic [ClassBits-1:0] LongestClass = ClassBits'(Classes - 1);

  logic [   Queues-1:0] set_unknown, set_next, single_q, single_d;
  logic [ClassBits-1:0] class_next;
  logic [ClassBits*Queues-1:0] class_q;

  // The length of the next packet is not known until `follow` is read, unless all have one cell.
  assign set_unknown = serve_i & ge2_i & ~single_q;
  assign set_next    = next_onehot_i & ~serve_i;

  xt_length_class #(
    .LenBits    (LenBits),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Bubble     (Bubble)
  ) i_next_class (
    .len_i   (next_len_i),
    .enters_i(next_enters_i),
    .class_o (class_next)
  );

  assign single_d = (single_q & ~enqueue_onehot_i) | (enqueue_single_i ? enqueue_onehot_i & (linked_i | single_q) : '0);

  // Why always @*: rtl/README.md.
  always @* begin : classify
    int b;
    b = 0;
    class_o = class_q;
    if (NoSkip || (linked_i | set_unknown) != '0) begin
      for (b = 0; b < ClassBits; b = b + 1) begin
        class_o[b*Queues+:Queues] = (class_q[b*Queues+:Queues] & ~(linked_i | set_unknown))
            | (enqueue_class_i[b] ? linked_i : '0) | (LongestClass[b] ? set_unknown : '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      single_q <= '0;
      class_q  <= '0;
    end else begin
      single_q <= single_d;
      class_q  <= class_o;
      if (NoSkip || set_next != '0) begin
        for (int b = 0; b < ClassBits; b++) begin
          class_q[b*Queues+:Queues] <= (class_o[b*Queues+:Queues] & ~set_next)
                                     | (class_next[b] ? set_next : '0);
        end
      end
    end
  end

  always @* begin
    short_o      = '1;
    short_next_o = '1;
    for (int b = 0; b < ClassBits; b++) begin
      short_o      = short_o & ~class_q[b*Queues+:Queues];
      short_next_o = short_next_o & ~class_o[b*Queues+:Queues];
    end
    if (LengthClass[7:0] != 8'd1) begin
      short_o      = single_q;
      short_next_o = single_d;
    end
  end

endmodule

`default_nettype wire
