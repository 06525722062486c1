// SPDX-License-Identifier: Apache-2.0
//
// xt_in_transit_priority: a packet gives way where its input does, at all outputs if it comes from a NIC, and else where it
// enters the ring. A packet that gives way is held back while the room behind the output is short, and no other one is.
`default_nettype none

module in_transit_priority_proof (
  input logic                                           clk_i,
  input logic [                                   15:0] wait_i,
  input logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_i,
  input logic [                  xt_pkg::LinkPorts-1:0] crowded_i,
  input logic [                      xt_pkg::Ports-1:0] queued_i,
  input logic [                      xt_pkg::Ports-1:0] matched_i,
  input logic [                      xt_pkg::Ports-1:0] insists_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [xt_pkg::Ports*xt_pkg::Ports-1:0] gives_way_at, told, held_back, held_back_q, expected;
  logic [              xt_pkg::Ports-1:0] gives_way, goes_on;
  logic                                   wrong_place;
  logic [              xt_pkg::Ports-1:0] told_q;  // nothing is told of an input without a packet

  // What comes in is of the next cycle, and zero while reset is active.
  logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_q;
  logic [                  xt_pkg::LinkPorts-1:0] crowded_q;
  wire  [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants = rst_n ? entrants_i : '0;
  wire  [                  xt_pkg::LinkPorts-1:0] crowded = rst_n ? crowded_i : '0;
  logic                                           waits_q;
  always_ff @(posedge clk_i) begin
    waits_q     <= wait_i != '0;
    told_q      <= queued_i | matched_i;
    entrants_q  <= entrants;
    crowded_q   <= crowded;
    held_back_q <= held_back;
  end

  xt_in_transit_priority i_dut (
    .clk_i,
    .rst_ni          (rst_n),
    .wait_i,
    .entrants_next_i (entrants),
    .crowded_next_i  (crowded),
    .queued_i,
    .matched_i,
    .insists_i,
    .gives_way_o     (gives_way),
    .gives_way_at_o  (gives_way_at),
    .goes_on_o       (goes_on),
    .held_back_o     (told)
  );

  always_comb begin
    for (int i = 0; i < xt_pkg::Ports; i++) begin
      held_back[i*xt_pkg::Ports+:xt_pkg::Ports] = (goes_on[i] || matched_i[i]) ? told[i*xt_pkg::Ports+:xt_pkg::Ports] : '0;
    end
    wrong_place = 1'b0;
    expected    = '0;
    for (int i = 0; i < xt_pkg::Ports; i++) begin
      for (int o = 0; o < xt_pkg::Ports; o++) begin
        if (gives_way_at[i*xt_pkg::Ports+o] && (o >= xt_pkg::LinkPorts
            || (i < xt_pkg::LinkPorts && !entrants_q[o*xt_pkg::LinkPorts+(i%xt_pkg::LinkPorts)])))
          wrong_place = 1'b1;
        if (i >= xt_pkg::LinkPorts && o < xt_pkg::LinkPorts && gives_way_at[i*xt_pkg::Ports+o] != gives_way[i]) wrong_place = 1'b1;
        if (o < xt_pkg::LinkPorts)
          expected[i*xt_pkg::Ports+o] = gives_way_at[i*xt_pkg::Ports+o] & crowded_q[o%xt_pkg::LinkPorts] & waits_q;
      end
      if (!told_q[i]) expected[i*xt_pkg::Ports+:xt_pkg::Ports] = held_back_q[i*xt_pkg::Ports+:xt_pkg::Ports];
    end
  end

  logic begun = 1'b0;
  always_ff @(posedge clk_i) begin
    begun <= rst_n;
    if (begun) begin
      gives_way_where_it_enters : assert (!wrong_place);
      held_back_where_crowded : assert (held_back_q == expected);
    end
  end

endmodule

`default_nettype wire
