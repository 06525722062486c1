// SPDX-License-Identifier: Apache-2.0
//
// The counters of all ports: packets, cells and stalls per traffic class, errors, and the link layer's
// events. xt_counter_bank holds them, a bank per port. This module gives them their numbers. First come six kinds
// (four without HasMonitors) times Tcs (rounded up to a power of two), then the kinds without a traffic
// class.
//
// init_i must run through 64 * Ports words after reset; no event may come before the last word.
//
// Latency: an event is counted at the end of its cycle. A read takes at most 3*Visit + 6 cycles, Visit + 6
// without events, where Visit = Ports + 12 (10 with few counters). The value is exact at one moment of that time.
// Speed: see xt_counter_bank.
`default_nettype none

module xt_port_counters (
  /// Clock.
  input  logic                                    clk_i,
  /// Reset, active low, synchronous.
  input  logic                                    rst_ni,
  /// Clear the counters.
  input  logic                                    init_i,
  /// Word to clear.
  input  logic [                            15:0] init_addr_i,

  /// A cell came in, per port.
  input  logic [               xt_pkg::Ports-1:0] rx_valid_i,
  /// The first of a packet came in, per port; with rx_valid_i.
  input  logic [               xt_pkg::Ports-1:0] rx_first_i,
  /// Traffic class of the packet.
  input  logic [xt_pkg::Ports*xt_pkg::TcBits-1:0] rx_tc_i,
  /// A cell went out, per port.
  input  logic [               xt_pkg::Ports-1:0] tx_valid_i,
  /// The first of a packet went out, per port; with tx_valid_i.
  input  logic [               xt_pkg::Ports-1:0] tx_first_i,
  /// Traffic class of the packet.
  input  logic [xt_pkg::Ports*xt_pkg::TcBits-1:0] tx_tc_i,
  /// Packets of the traffic class wait for credits: bit port*Tcs + TC.
  input  logic [   xt_pkg::Ports*xt_pkg::Tcs-1:0] stall_credit_i,
  /// Packets of the traffic class wait for their turn: bit port*Tcs + TC.
  input  logic [   xt_pkg::Ports*xt_pkg::Tcs-1:0] stall_grant_i,
  /// A packet had no route, per port.
  input  logic [               xt_pkg::Ports-1:0] illegal_i,
  /// An incomplete packet was finished here (link) or delivered (NIC), per port.
  input  logic [               xt_pkg::Ports-1:0] poisoned_i,
  /// A packet's tlast did not match the header's length, per NIC port.
  input  logic [            xt_pkg::NicPorts-1:0] framing_i,
  /// A packet was swallowed because the link was down, per link port.
  input  logic [           xt_pkg::LinkPorts-1:0] dropped_i,
  /// A frame had a wrong check word, per link port.
  input  logic [           xt_pkg::LinkPorts-1:0] crc_error_i,
  /// A nack was sent, per link port.
  input  logic [           xt_pkg::LinkPorts-1:0] nack_i,
  /// A replay of frames begins, per link port.
  input  logic [           xt_pkg::LinkPorts-1:0] replay_i,
  /// Of these, for want of an acknowledgement.
  input  logic [           xt_pkg::LinkPorts-1:0] timeout_i,
  /// A link was trained, per link port.
  input  logic [           xt_pkg::LinkPorts-1:0] retrain_i,

  /// Ask for a counter; the next request must wait for the answer.
  input  logic                                    read_i,
  /// Port of the counter.
  input  logic [            xt_pkg::PortBits-1:0] read_port_i,
  /// Register of the counter: bits 7 to 2 of the address.
  input  logic [                             5:0] read_offset_i,
  /// The answer is still to come.
  output logic                                    read_due_o,
  /// The answer.
  output logic                                    read_valid_o,
  /// The counter's value.
  output logic [                            31:0] read_data_o,
  /// A counter passed 2^32, per port.
  output logic [               xt_pkg::Ports-1:0] wrapped_o,
  /// Something is being counted or read.
  output logic                                    busy_o
);

  // Numbers of the counters: a kind and a traffic class, or an event without one.
  localparam int StepBits = $clog2(xt_pkg::Tcs);
  localparam int Step = 2 ** StepBits;
  localparam int Kinds = (xt_pkg::HasMonitors != 0) ? 6 : 4;
  localparam int PerTc = Kinds * Step;
  localparam int Illegal = PerTc;
  // NIC ports count framing errors where link ports count dropped packets.
  localparam int Framing = PerTc + 1;
  localparam int Dropped = PerTc + 1;
  localparam int Poisoned = PerTc + 2;
  localparam int CrcErrors = PerTc + 3;
  localparam int Counters = (xt_pkg::HasLinkLayer != 0) ? PerTc + 8 : PerTc + 2;
  localparam int IndexBits = $clog2(Counters);

  // ShortBits satisfies the check in xt_counter_bank; 5 covers every profile.
  localparam int Visit4 = 10 + xt_pkg::Ports;
  localparam int ShortBits = (Counters * (2 * Visit4 + 2) <= 15 * 31 - 1) ? 4 : 5;

  // Which counters a port has: without a link layer nothing is dropped, and a NIC port has no link.
  localparam logic [Counters-1:0] All = {Counters{1'b1}};
  localparam logic [Counters-1:0] OfLink = (xt_pkg::HasLinkLayer != 0) ? All : All >> 1;
  localparam logic [Counters-1:0] OfNic = (xt_pkg::HasLinkLayer != 0) ? All >> 5 : All;

  logic [xt_pkg::Ports*Counters-1:0] events;
  logic                              any_event;
  logic [             IndexBits-1:0] visited;
  logic [                       5:0] visited_kind;
  logic [         xt_pkg::Ports-1:0] visited_event;

  for (genvar k = 0; k < 6; k++) begin : g_kind
    assign visited_kind[k] = k < Kinds && (visited >> StepBits) == IndexBits'(k);
  end

  // Stalls are counted with HasMonitors only.
  logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] stall_credit, stall_grant;
  assign stall_credit = (xt_pkg::HasMonitors != 0) ? stall_credit_i : '0;
  assign stall_grant  = (xt_pkg::HasMonitors != 0) ? stall_grant_i : '0;

  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_port
    // Without an event of the port a simulator skips the rest.
    logic [Counters-1:0] here;
    logic                any_here;
    logic [         7:0] rare;  // from Illegal on

    if (p < xt_pkg::LinkPorts) begin : g_link
      assign rare = {retrain_i[p], timeout_i[p], replay_i[p], nack_i[p], crc_error_i[p], poisoned_i[p], dropped_i[p], illegal_i[p]};
    end else begin : g_nic
      assign rare = {5'd0, poisoned_i[p], framing_i[p-xt_pkg::LinkPorts], illegal_i[p]};
    end
    assign any_here = rx_valid_i[p] || tx_valid_i[p] || stall_credit[p*xt_pkg::Tcs+:xt_pkg::Tcs] != '0
                   || stall_grant[p*xt_pkg::Tcs+:xt_pkg::Tcs] != '0 || rare != '0;
    always_comb begin
      here = '0;
      if (xt_pkg::NoSkip != 0 || any_here) begin
        for (int t = 0; t < xt_pkg::Tcs; t++) begin
          if (rx_tc_i[p*xt_pkg::TcBits+:xt_pkg::TcBits] == t[xt_pkg::TcBits-1:0]) begin
            here[0*Step+t] = rx_first_i[p];
            here[1*Step+t] = rx_valid_i[p];
          end
          if (tx_tc_i[p*xt_pkg::TcBits+:xt_pkg::TcBits] == t[xt_pkg::TcBits-1:0]) begin
            here[2*Step+t] = tx_first_i[p];
            here[3*Step+t] = tx_valid_i[p];
          end
          if (xt_pkg::HasMonitors != 0) begin
            here[4%Kinds*Step+t] = stall_credit[p*xt_pkg::Tcs+t];
            here[5%Kinds*Step+t] = stall_grant[p*xt_pkg::Tcs+t];
          end
        end
        here[Counters-1:PerTc] = rare[Counters-PerTc-1:0];
      end
    end
    assign events[p*Counters+:Counters] = here;

    // The event of the visited counter.
    logic received_visited, sent_visited;
    logic [Counters-PerTc-1:0] other;

    assign received_visited = (StepBits == 0)
                           || rx_tc_i[p*xt_pkg::TcBits+:xt_pkg::TcBits] == visited[xt_pkg::TcBits-1:0];
    assign sent_visited     = (StepBits == 0)
                           || tx_tc_i[p*xt_pkg::TcBits+:xt_pkg::TcBits] == visited[xt_pkg::TcBits-1:0];
    assign other            = here[Counters-1:PerTc];
    // Of this port alone: in Icarus processes that gather in bits of one vector wake each other for ever.
    logic visited_here;
    always_comb begin
      visited_here = 1'b0;
      if (xt_pkg::NoSkip != 0 || any_here) begin
        visited_here = (visited_kind[0] & received_visited & rx_first_i[p])
                     | (visited_kind[1] & received_visited & rx_valid_i[p])
                     | (visited_kind[2] & sent_visited & tx_first_i[p])
                     | (visited_kind[3] & sent_visited & tx_valid_i[p]);
        for (int t = 0; t < xt_pkg::Tcs; t++) begin
          if (StepBits == 0 || visited[xt_pkg::TcBits-1:0] == t[xt_pkg::TcBits-1:0])
            visited_here = visited_here | (visited_kind[4] & stall_credit[p*xt_pkg::Tcs+t])
                         | (visited_kind[5] & stall_grant[p*xt_pkg::Tcs+t]);
        end
        for (int c = PerTc; c < Counters; c++) begin
          if (visited == IndexBits'(c)) visited_here = visited_here | other[c-PerTc];
        end
      end
    end
    assign visited_event[p] = visited_here;

  end

  assign any_event = |{rx_valid_i, tx_valid_i, stall_credit, stall_grant, illegal_i, poisoned_i, framing_i,
                       dropped_i, crc_error_i, nack_i, replay_i, timeout_i, retrain_i};

  // ---------------------------------------------------------------- read-out
  logic [IndexBits-1:0] index;

  always @* begin
    index = '0;
    for (int k = 0; k < Kinds; k++) begin
      if (read_offset_i[5:2] == xt_pkg::RegRxPackets[7:4] + 4'(k))
        index = index | (IndexBits'(k * Step) + IndexBits'(read_offset_i[1:0]));
    end
    if (read_offset_i == xt_pkg::RegIllegalRoutes[7:2]) index = index | IndexBits'(Illegal);
    if (read_offset_i == xt_pkg::RegFramingErrors[7:2]) index = index | IndexBits'(Framing);
    if (read_offset_i == xt_pkg::RegDropped[7:2]) index = index | IndexBits'(Dropped);
    if (xt_pkg::HasLinkLayer != 0) begin
      if (read_offset_i == xt_pkg::RegPoisoned[7:2]) index = index | IndexBits'(Poisoned);
      for (int k = 0; k < 5; k++) begin
        if (read_offset_i == xt_pkg::RegCrcErrors[7:2] + 6'(k)) index = index | IndexBits'(CrcErrors + k);
      end
    end
  end

  xt_counter_bank #(
    .Banks    (xt_pkg::Ports),
    .Counters (Counters),
    .Present  ({{xt_pkg::NicPorts{OfNic}}, {xt_pkg::LinkPorts{OfLink}}}),
    .ShortBits(ShortBits)
  ) i_bank (
    .clk_i,
    .rst_ni,
    .init_i,
    .init_addr_i,
    .event_i     (events),
    .any_event_i (any_event),
    .visited_o   (visited),
    .visited_event_i(visited_event),
    .read_i,
    .read_bank_i (read_port_i),
    .read_index_i(index),
    .read_due_o,
    .read_valid_o,
    .read_data_o,
    .wrapped_o,
    .busy_o
  );

endmodule

`default_nettype wire
