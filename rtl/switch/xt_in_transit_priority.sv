// SPDX-License-Identifier: Apache-2.0
//
// In-transit priority: says which packets give way, and to which outputs. Packets from a NIC give way to packets from links,
// packets that enter a ring to those within it. A packet that gives way does not start where the room behind the output is
// short.
//
// Latency: gives_way_o and gives_way_at_o follow from registers. What is held back is told of the next cycle.
// Speed: as xt_injection_timers, and a level of logic. Requests are masked in front of their register: behind
// it the level would be in the longest way of the allocator. A match comes late: the allocator chooses by it.
`default_nettype none

module xt_in_transit_priority (
  /// Clock.
  input  logic                                           clk_i,
  /// Reset, active low, synchronous.
  input  logic                                           rst_ni,
  /// Cycles for which a packet gives way; 0: never.
  input  logic [                                   15:0] wait_i,
  /// Link ports whose packets enter the ring of a link from the next clock edge on: bit output*LinkPorts + port.
  input  logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_next_i,
  /// Per link output: the shared room behind it will be short in the next cycle.
  input  logic [                  xt_pkg::LinkPorts-1:0] crowded_next_i,
  /// Per input: a packet of the input is in some queue.
  input  logic [                      xt_pkg::Ports-1:0] queued_i,
  /// Per input: a packet of the input is matched.
  input  logic [                      xt_pkg::Ports-1:0] matched_i,
  /// Per input: insists on an output, and gives way no more until it is matched.
  input  logic [                      xt_pkg::Ports-1:0] insists_i,
  /// Per input: packets give way at all outputs.
  output logic [                      xt_pkg::Ports-1:0] gives_way_o,
  /// Per pair of input and output, bit input*Ports + output: packets give way there.
  output logic [        xt_pkg::Ports*xt_pkg::Ports-1:0] gives_way_at_o,
  /// Per input: gives way in the next cycle, unless that follows a reset. Does not tell of an input without a packet, or with a
  /// match.
  output logic [                      xt_pkg::Ports-1:0] goes_on_o,
  /// Per pair as above: packets that give way in the next cycle do not start, as the room is short. All that have just been
  /// matched give way.
  output logic [        xt_pkg::Ports*xt_pkg::Ports-1:0] held_back_o
);

  // Without shared cells no output is crowded, and only packets from a NIC give way.
  localparam logic [xt_pkg::Ports-1:0] Timed = (xt_pkg::SharedCells != 0) ? {xt_pkg::Ports{1'b1}}
                                                                        : {xt_pkg::Ports{1'b1}} << xt_pkg::LinkPorts;
  logic [                      xt_pkg::Ports-1:0] yields;
  logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_q;

  xt_injection_timers #(
    .Inputs(xt_pkg::Ports), .Timed(Timed)
  ) i_injection_timers (
    .clk_i, .rst_ni, .wait_i, .queued_i, .matched_i, .insists_i,
    .gives_way_o(yields),
    .goes_on_o
  );

  assign gives_way_o = {yields[xt_pkg::Ports-1:xt_pkg::LinkPorts], {xt_pkg::LinkPorts{1'b0}}};
  // Why always @*: rtl/README.md.
  always @* begin : give_way
    int i, o;
    i = 0;
    o = 0;
    gives_way_at_o = '0;
    if (xt_pkg::NoSkip != 0 || yields != '0) begin
      for (i = 0; i < xt_pkg::Ports; i = i + 1) begin
        for (o = 0; o < xt_pkg::LinkPorts; o = o + 1)
          gives_way_at_o[i*xt_pkg::Ports+o] = yields[i] & (i >= xt_pkg::LinkPorts || entrants_q[o*xt_pkg::LinkPorts+(i%xt_pkg::LinkPorts)]);
      end
    end
  end
  always_ff @(posedge clk_i) entrants_q <= entrants_next_i;
  always @* begin : hold_back
    int i, o;
    i = 0;
    o = 0;
    held_back_o = '0;
    if (xt_pkg::NoSkip != 0 || crowded_next_i != '0) begin
      for (i = 0; i < xt_pkg::Ports; i = i + 1) begin
        for (o = 0; o < xt_pkg::LinkPorts; o = o + 1)
          held_back_o[i*xt_pkg::Ports+o] = Timed[i] && wait_i != '0 && crowded_next_i[o]
              && (i >= xt_pkg::LinkPorts || entrants_next_i[o*xt_pkg::LinkPorts+(i%xt_pkg::LinkPorts)]);
      end
    end
  end

endmodule

`default_nettype wire
