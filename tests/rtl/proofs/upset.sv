// SPDX-License-Identifier: Apache-2.0
//
// Arbiters and state machines after an upset: every register begins with any value, reached or not, and no reset comes. Each pointer that
// is none fails to choose at most once. So requests without a winner come in a bounded number of cycles, and a steady
// request is served as if there had been no upset, or a little later.
`default_nettype none

module islip_upset_proof #(
  parameter int Ports = 3,
  parameter int Iterations = 1
) (
  input logic                   clk_i,
  input logic [Ports*Ports-1:0] request_i,
  input logic [      Ports-1:0] gives_way_i
);

  logic [Ports*Ports-1:0] match;
  xt_islip #(
    .Inputs    (Ports),
    .Outputs   (Ports),
    .Iterations(Iterations)
  ) i_dut (
    .clk_i,
    .rst_ni (1'b1),
    .request_i,
    .input_free_i ({Ports{1'b1}}),
    .output_free_i({Ports{1'b1}}),
    .gives_way_i,
    .match_o(match)
  );

  logic [3:0] stalls = '0;
  always_ff @(posedge clk_i) if (request_i != '0 && match == '0) stalls <= stalls + 1'b1;

  always_comb begin
    each_pointer_fails_once : assert (32'(stalls) <= 2 * Ports);
    matches_are_requested : assert ((match & ~request_i) == '0);
  end

endmodule

module round_robin_upset_proof #(
  parameter int Width = 5
) (
  input logic             clk_i,
  input logic [Width-1:0] request_i,
  input logic             advance_i
);

  logic [Width-1:0] grant;
  xt_round_robin #(
    .Width(Width)
  ) i_dut (
    .clk_i,
    .rst_ni   (1'b1),
    .request_i,
    .grant_o  (grant),
    .advance_i(advance_i && grant != '0),
    .served_i (grant)
  );

  (* anyconst *)logic [Width-1:0] watched;
  logic [4:0] others = '0;  // served while the watched one asks
  always_ff @(posedge clk_i) begin
    if ((request_i & watched) == '0 || (advance_i && (grant & watched) != '0)) others <= '0;
    else if (advance_i && grant != '0) others <= others + 1'b1;
  end

  always_comb begin
    one_is_watched : assume (watched != '0 && (watched & (watched - 1'b1)) == '0);
    the_pointer_never_fails : assert (request_i == '0 || grant != '0);
    one_is_served : assert ((grant & (grant - 1'b1)) == '0 && (grant & ~request_i) == '0);
    nobody_starves : assert (32'(others) <= Width);
  end

endmodule

module vc_arbiter_upset_proof #(
  parameter int Queues = 4,
  parameter int Classes = 3,
  parameter logic [Queues*8-1:0] QueueClass = 32'h02010001
) (
  input logic              clk_i,
  input logic [Queues-1:0] eligible_i,
  input logic              served_i
);

  logic [Queues-1:0] pick, served_q = '0;
  logic              any;
  always_ff @(posedge clk_i) served_q <= served_i ? pick : '0;
  xt_vc_arbiter #(
    .Queues    (Queues),
    .Classes   (Classes),
    .QueueClass(QueueClass)
  ) i_dut (
    .clk_i,
    .rst_ni  (1'b1),
    .eligible_i,
    .pick_o  (pick),
    .number_o(),
    .any_o   (any),
    .served_i (served_q),
    .matched_i(1'b1)
  );

  always_comb begin
    the_pointers_never_fail : assert (any == (pick != '0));
    one_is_picked : assert ((pick & (pick - 1'b1)) == '0 && (pick & ~eligible_i) == '0);
  end

endmodule

module adaptive_choice_upset_proof #(
  parameter int Ports = 5
) (
  input logic             clk_i,
  input logic [Ports-1:0] candidates_i,
  input logic [Ports-1:0] low_i,
  input logic [Ports-1:0] group0_i,
  input logic [Ports-1:0] group1_i,
  input logic             take_i
);

  logic [Ports-1:0] chosen;
  xt_adaptive_choice #(
    .Ports(Ports)
  ) i_dut (
    .clk_i,
    .rst_ni  (1'b1),
    .candidates_i,
    .low_i,
    .group0_i,
    .group1_i,
    .take_i  (take_i && candidates_i != '0),
    .chosen_o(chosen)
  );

  logic [1:0] stalls = '0;
  always_ff @(posedge clk_i) if (candidates_i != '0 && chosen == '0) stalls <= stalls + 1'b1;

  always_comb begin
    the_order_fails_once : assert (stalls <= 2'd1);
    one_candidate_is_chosen : assert ((chosen & (chosen - 1'b1)) == '0 && (chosen & ~candidates_i) == '0);
  end

endmodule

// Of the four values of a link's state one has no name.
module link_upset_proof #(
  localparam int FrameBits = 101
) (
  input logic                 clk_i,
  input logic                 link_valid_i,
  input logic [FrameBits-1:0] link_frame_i,
  input logic                 input_empty_i,
  input logic                 retrain_i,
  input logic                 disable_i,
  input logic                 tx_valid_i,
  input logic                 tx_credit_valid_i
);

  logic [1:0] state;
  logic       began = 1'b0;
  xt_link #(
    .FrameBits(FrameBits)
  ) i_dut (
    .clk_i,
    .rst_ni           (1'b1),
    .link_valid_i,
    .link_frame_i,
    .tx_valid_i,
    .tx_vc_i          (1'b0),
    .tx_cell_i        (32'd0),
    .tx_poison_i      (1'b0),
    .tx_credit_valid_i,
    .tx_credit_vc_i   (1'b0),
    .input_empty_i,
    .retrain_i,
    .disable_i,
    .now_i            (16'd0),
    .expiry_i         (16'd256),
    .retry_limit_i    (8'd8),
    .retries_i        (1'b1),
    .keepalive_i      (16'd0),
    .keeps_alive_i    (1'b0),
    .state_o          (state)
  );

  always_ff @(posedge clk_i) began <= 1'b1;
  always_comb if (began) the_state_has_a_name : assert (state != 2'd3);

endmodule

// The idle words of a lane carry a sequence that zero would end: words that all are the same.
module phy_upset_proof (
  input logic clk_i
);

  localparam int WordBits = 10;

  logic                data;
  logic [WordBits-1:0] earlier = '0;
  logic [         5:0] equal = '0;
  xt_phy_tx #(
    .Lanes    (1),
    .FrameBits(WordBits - 2)
  ) i_dut (
    .clk_i,
    .rst_ni       (1'b1),
    .frame_valid_i(1'b0),
    .frame_i      (8'd0),
    .ready_i      (1'b1),
    .up_i         (1'b0),
    .data_o       (data)
  );

  always_ff @(posedge clk_i) begin
    earlier <= {earlier[WordBits-2:0], data};
    equal   <= (data == earlier[WordBits-1]) ? equal + 6'(equal != '1) : '0;
  end
  always_comb the_sequence_goes_on : assert (equal < 6'd50);

endmodule

module packet_fifo_upset_proof #(
  parameter int PacketBeats = 2
) (
  input logic clk_i,
  input logic tvalid_i,
  input logic tdata_i,
  input logic tlast_i
);

  logic tready;
  xt_packet_fifo #(
    .Width      (1),
    .PacketBeats(PacketBeats)
  ) i_dut (
    .clk_i,
    .rst_ni  (1'b1),
    .tvalid_i,
    .tready_o(tready),
    .tdata_i,
    .tlast_i,
    .tvalid_o(),
    .tready_i(1'b1),
    .tdata_o (),
    .tlast_o (),
    .active_o()
  );

  // A receiver that takes every beat makes room for one within a round of the pointers.
  logic [4:0] waits = '0;
  always_ff @(posedge clk_i) waits <= (tvalid_i && !tready) ? waits + 1'b1 : '0;

  always_comb the_sender_waits_for_a_while_only : assert (32'(waits) <= 4 * PacketBeats + 4);

endmodule

// A read that waits for a counter which is not due, whatever the bus had in mind before.
module register_bus_upset_proof (
  input logic       clk_i,
  input logic       aw_i,
  input logic       ar_i,
  input logic       is_counter_i,
  input logic [3:0] wstrb_i,
  input logic [1:0] window_i
);

  logic awready, arready;
  logic aw_q = 1'b0, ar_q = 1'b0;
  wire awvalid = aw_i | aw_q;
  wire arvalid = ar_i | ar_q;
  xt_register_bus i_dut (
    .clk_i,
    .rst_ni         (1'b1),
    .awvalid_i      (awvalid),
    .awready_o      (awready),
    .awaddr_i       ('0),
    .wvalid_i       (awvalid),
    .wstrb_i,
    .bready_i       (1'b1),
    .arvalid_i      (arvalid),
    .arready_o      (arready),
    .araddr_i       ({window_i, 14'd0}),
    .rready_i       (1'b1),
    .writable_i     (1'b1),
    .table_waits_i  (1'b0),
    .hit_i          (1'b1),
    .is_counter_i,
    .counter_valid_i(1'b0),
    .counter_due_i  (1'b0),
    .rdata_i        ('0)
  );

  logic [4:0] write_waits = '0, read_waits = '0;
  always_ff @(posedge clk_i) begin
    aw_q        <= awvalid & ~awready;
    ar_q        <= arvalid & ~arready;
    write_waits <= (awvalid && !awready) ? write_waits + 1'b1 : '0;
    read_waits  <= (arvalid && !arready) ? read_waits + 1'b1 : '0;
  end

  always_comb an_address_waits_for_a_while_only : assert (write_waits < 5'd24 && read_waits < 5'd24);

endmodule

// An answer that never comes is not due for ever.
module counter_bank_upset_proof (
  input logic       clk_i,
  input logic [5:0] event_i
);

  logic due;
  xt_counter_bank #(
    .Banks    (2),
    .Counters (3),
    .ShortBits(3)
  ) i_dut (
    .clk_i,
    .rst_ni         (1'b1),
    .init_i         (1'b0),
    .init_addr_i    ('0),
    .event_i,
    .any_event_i    (event_i != '0),
    .visited_event_i('0),
    .read_i         (1'b0),
    .read_bank_i    ('0),
    .read_index_i   ('0),
    .read_due_o     (due)
  );

  // A read waits for the visit under way and one more of the scan.
  localparam int Visit = 1 + 7 + 2;
  logic [5:0] waits = '0;
  always_ff @(posedge clk_i) waits <= due ? waits + 1'b1 : '0;

  always_comb nothing_is_due_for_ever : assert (32'(waits) <= 3 * Visit + 6);

endmodule

// Flags of an output at rest tell what its counters hold.
module credit_reserves_upset_proof (
  input logic clk_i
);

  localparam int Reserved = 16, Longest = 4, Margin = 5;
  logic [1:0] credit_ok;
  logic [9:0] used;
  xt_credit_reserves #(
    .Vcs     (2),
    .Reserved(Reserved),
    .LenBits (2),
    .Classes (1),
    .Margin  (Margin)
  ) i_dut (
    .clk_i,
    .rst_ni       (1'b1),
    .restart_i    (1'b0),
    .down_i       (1'b0),
    .consume_i    (1'b0),
    .consume_vc_i (1'b0),
    .consume_len_i(2'd0),
    .credit_i     (1'b0),
    .credit_vc_i  (1'b0),
    .credit_ok_o  (credit_ok),
    .read_vc_i    (1'b0),
    .used_o       (used)
  );

  logic [2:0] rests = '0;
  always_ff @(posedge clk_i) if (rests != '1) rests <= rests + 1'b1;

  wire [1:0] expected = {32'(used[9:5]) + Longest + Margin <= Reserved, 32'(used[4:0]) + Longest + Margin <= Reserved};
  always_comb if (rests == '1) flags_tell_what_is_left : assert (credit_ok == expected);

endmodule

`default_nettype wire
