// SPDX-License-Identifier: Apache-2.0
//
// The queues of the bridge after an upset: every register begins with any value, and no reset comes. Where sessions begin
// and all is acknowledged, now and then, the ring of received packets takes cells. After a session's begin an empty queue
// of packets to a card has all its room. A packet that is longer than what is there ends with that.
`default_nettype none

module receive_queue_upset_proof (
  input logic       clk_i,
  input logic       tvalid_i,
  input logic [7:0] tdata_i,
  input logic       tlast_i
);

  localparam int Depth = 16;

  logic        tready;
  logic [15:0] acknowledged, next, written;
  logic [ 2:0] cycle = '0;
  xt_bridge_receive_queue #(
    .Depth   (Depth),
    .CellBits(8)
  ) i_dut (
    .clk_i,
    .rst_ni        (1'b1),
    .tvalid_i,
    .tready_o      (tready),
    .tdata_i,
    .tlast_i,
    .tuser_i       (1'b0),
    .sync_i        (cycle == 3'd1),
    .receive_i     (cycle == 3'd5),
    .position_i    (written),
    .limit_i       (written),
    .rewind_i      (1'b0),
    .offset_i      ('0),
    .sent_i        (1'b0),
    .length_i      ('0),
    .acknowledged_o(acknowledged),
    .next_o        (next),
    .written_o     (written)
  );

  // Since a cell was taken, and sessions so far.
  logic [4:0] waits = '0;
  logic [1:0] sessions = '0;
  always_ff @(posedge clk_i) begin
    cycle <= cycle + 1'b1;
    waits <= tready ? '0 : waits + 1'b1;
    if (cycle == 3'd1 && sessions != '1) sessions <= sessions + 1'b1;
  end

  always_comb begin
    a_cell_is_taken_in_two_sessions : assert (waits < 5'd24);
    if (sessions != '0) the_positions_are_in_order : assert (16'(next - acknowledged) <= 16'(written - acknowledged));
  end

endmodule

module inject_queue_upset_proof (
  input logic        clk_i,
  input logic        push_i,
  input logic        commit_i,
  input logic [31:0] word_i
);

  localparam int Depth = 8;

  logic        tvalid;
  logic [15:0] free;
  logic [ 2:0] quiet = '0;
  logic        first = 1'b1, synced = 1'b0;
  wire         sync = quiet == '1;
  xt_bridge_inject_queue #(
    .Depth   (Depth),
    .CellBits(8)
  ) i_dut (
    .clk_i,
    .rst_ni  (1'b1),
    .push_i  (push_i & first),
    .word_i,
    .commit_i,
    .sync_i  (sync),
    .free_o  (free),
    .tvalid_o(tvalid),
    .tready_i(1'b1)
  );

  always_ff @(posedge clk_i) begin
    first  <= 1'b0;
    quiet  <= tvalid ? '0 : quiet + 3'(!sync);
    synced <= synced | (sync & ~tvalid);
  end

  always_comb if (synced && !tvalid) a_session_finds_all_room : assert (free == 16'(Depth));

endmodule

module inject_queue_length_proof (
  input logic       clk_i,
  input logic [7:0] long_i,
  input logic       tready_i
);

  // From reset: a packet of two cells behind any greater length, as an upset leaves it, then one of one cell.
  localparam int Depth = 8;

  logic       tvalid, tlast;
  logic [7:0] cell_out;
  logic [3:0] cycle = '0;
  logic [1:0] first_sent = '0, second_sent = '0;
  wire        begins = cycle >= 4'd1 && cycle <= 4'd3, then_right = cycle >= 4'd12 && cycle <= 4'd13;
  logic [7:0] word;
  always_comb begin
    word = 8'd7;
    if (cycle == 4'd1) word = (long_i < 8'd3) ? 8'd3 : long_i;
    if (cycle == 4'd12) word = 8'd1;
    if (cycle == 4'd13) word = 8'd9;
  end
  xt_bridge_inject_queue #(
    .Depth   (Depth),
    .CellBits(8)
  ) i_dut (
    .clk_i,
    .rst_ni  (cycle != '0),
    .push_i  (begins | then_right),
    .word_i  (32'(word)),
    .commit_i(cycle == 4'd3 || cycle == 4'd13),
    .sync_i  (1'b0),
    .tvalid_o(tvalid),
    .tready_i(tready_i | (cycle < 4'd12)),
    .tdata_o (cell_out),
    .tlast_o (tlast)
  );

  wire taken = tvalid & (tready_i | (cycle < 4'd12));
  always_ff @(posedge clk_i) begin
    if (cycle != '1) cycle <= cycle + 1'b1;
    if (taken && cycle != '0 && cycle < 4'd13) first_sent <= first_sent + 1'b1;
    if (taken && cycle >= 4'd13) second_sent <= second_sent + 1'b1;
  end

  always_comb begin
    no_more_than_is_there : assert (first_sent <= 2'd2);
    if (cycle >= 4'd13 && tvalid) the_next_packet_is_right : assert (cell_out == 8'd9 && tlast && second_sent == '0);
  end

endmodule

`default_nettype wire
