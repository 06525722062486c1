// SPDX-License-Identifier: Apache-2.0
//
// xt_packet_fifo between a sender and a receiver that do what they like. Each beat comes out once, in its place and
// unchanged, after all of its packet has come. A packet that has begun pauses nowhere up to beat PacketBeats. A
// whole packet is offered within 3 cycles. Room for a beat is missing only while a whole packet is there, so nothing waits
// for ever. If the receiver never waits, nor does the sender. The output keeps the rules of sim/cocotb/rules.
//
// The words whole and part are the proof's own counts of beats.
`default_nettype none

module packet_fifo_proof #(
  parameter int PacketBeats = 2
) (
  input logic clk_i,
  input logic tvalid_i,
  input logic tdata_i,
  input logic tlast_i,
  input logic tready_i,
  input logic mark_i
);

  localparam int Room = 2 * PacketBeats + 2;
  localparam int CountBits = $clog2(Room + 1);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic tready, tvalid, tdata, tlast, active;

  xt_packet_fifo #(.Width(1), .PacketBeats(PacketBeats)) i_dut (
    .clk_i,
    .rst_ni  (rst_n),
    .tvalid_i,
    .tready_o(tready),
    .tdata_i,
    .tlast_i,
    .tvalid_o(tvalid),
    .tready_i,
    .tdata_o (tdata),
    .tlast_o (tlast),
    .active_o(active)
  );
  axi_stream_rules #(.Width(2)) i_rules (.clk_i, .rst_ni(rst_n), .tvalid_i(tvalid), .tready_i, .beat_i({tlast, tdata}));

  wire put = rst_n & tvalid_i & tready;
  wire get = rst_n & tvalid & tready_i;

  // Beats within: of whole packets, and of the packet that comes. A packet that runs on is whole from beat to beat.
  logic [CountBits-1:0] whole_q = '0, part_q = '0;
  logic                 runs_q = 1'b0, completes;
  assign completes = put & (tlast_i | runs_q | part_q == CountBits'(PacketBeats - 1));
  always_ff @(posedge clk_i) begin
    if (put) part_q <= completes ? '0 : part_q + 1'b1;
    if (put) runs_q <= completes & ~tlast_i;
    whole_q <= whole_q + (completes ? part_q + 1'b1 : '0) - CountBits'(get);
  end

  // A beat that was marked when it came, and those before it.
  logic [CountBits-1:0] ahead_q = '0;
  logic                 marked_q = 1'b0, over_q = 1'b0;
  logic [1:0]           beat_q = '0;
  always_ff @(posedge clk_i) begin
    if (put && mark_i && !marked_q && !over_q) begin
      marked_q <= 1'b1;
      beat_q   <= {tlast_i, tdata_i};
      ahead_q  <= whole_q + part_q - CountBits'(get);
    end else if (marked_q && get) begin
      if (ahead_q == '0) begin
        marked_q <= 1'b0;
        over_q   <= 1'b1;
      end else begin
        ahead_q <= ahead_q - 1'b1;
      end
    end
  end

  // Beats of the packet under way that have left, up to PacketBeats; cycles without an offer; whether the receiver waited.
  logic [CountBits-1:0] left_q = '0;
  logic [1:0]           late_q = '0;
  logic                 waited_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (get) left_q <= tlast ? '0 : (left_q == CountBits'(PacketBeats)) ? left_q : left_q + 1'b1;
    late_q   <= (whole_q == '0 || tvalid) ? '0 : late_q + 1'b1;
    waited_q <= waited_q | ~tready_i;
  end

  always_comb if (rst_n) begin
    if (tvalid) nothing_leaves_before_all_of_its_packet : assert (whole_q != '0);
    if (get && marked_q && ahead_q == '0) the_marked_beat_comes_in_its_place : assert ({tlast, tdata} == beat_q);
    if (left_q != '0 && left_q != CountBits'(PacketBeats)) a_packet_pauses_nowhere : assert (tvalid);
    if (whole_q != '0) a_whole_packet_is_offered_soon : assert (late_q < 2'd2 || tvalid);
    if (!tready) room_is_missing_for_a_while_only : assert (whole_q != '0);
    if (!waited_q) the_sender_never_waits_for_a_fast_receiver : assert (tready);
    if (whole_q != '0) what_moves_is_active : assert (active);
    if (whole_q == '0 && !tvalid_i) a_part_rests : assert (!active);
  end

endmodule

`default_nettype wire
