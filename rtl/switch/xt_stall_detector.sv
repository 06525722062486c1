// SPDX-License-Identifier: Apache-2.0
//
// Stalls of one input, per traffic class: packets that wait for credits, and packets that could start and were not
// matched.
//
// Latency: 1 cycle to stall_credit_o, 2 to stall_grant_o from the request.
`default_nettype none

module xt_stall_detector #(
  /// Number of queues: Vcs per link port, Tcs per NIC port, and the one for illegal routes.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1,
  /// Bits of a queue's number: the port on top, below the VC at a link port or the traffic class at a NIC port. The
  /// queue of illegal routes has one port number more.
  localparam int QueueBits = $clog2(xt_pkg::Ports + 1) + xt_pkg::VcBits
) (
  /// Clock.
  input  logic                                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                                 rst_ni,
  /// Queues that hold a packet.
  input  logic [                   Queues-2:0] nonempty_i,
  /// Queues whose packets have credit.
  input  logic [                   Queues-2:0] credit_ok_i,
  /// Traffic classes that could start in the last cycle, per output.
  input  logic [xt_pkg::Ports*xt_pkg::Tcs-1:0] might_start_i,
  /// A queue is served.
  input  logic                                 serve_valid_i,
  /// Number of the queue.
  input  logic [                QueueBits-1:0] serve_queue_i,
  /// Per TC: a packet waits for credits of the next buffer.
  output logic [              xt_pkg::Tcs-1:0] stall_credit_o,
  /// Per TC: a packet could start and was not matched.
  output logic [              xt_pkg::Tcs-1:0] stall_grant_o
);

  localparam logic [QueueBits-1:0] DropNumber = QueueBits'(xt_pkg::Ports * 2 ** xt_pkg::VcBits);
  localparam int Links = xt_pkg::LinkPorts;
  localparam int Vcs = xt_pkg::Vcs;
  localparam int Tcs = xt_pkg::Tcs;
  localparam logic [Vcs*8-1:0] VcTc = xt_pkg::VcTc;

  function automatic logic [xt_pkg::TcBits-1:0] tc_of(input logic [xt_pkg::VcBits-1:0] vc);
    tc_of = '0;
    for (int v = 0; v < Vcs; v++) begin
      if (vc == v[xt_pkg::VcBits-1:0]) tc_of = tc_of | xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
    end
  endfunction
  // The VCs of each TC; TC t's from bit t*Vcs on.
  function automatic logic [Tcs*Vcs-1:0] vcs_by_tc();
    vcs_by_tc = '0;
    for (int v = 0; v < Vcs; v++) begin
      for (int t = 0; t < Tcs; t++) if (VcTc[v*8+:8] == 8'(t)) vcs_by_tc[t*Vcs+v] = 1'b1;
    end
  endfunction

  localparam logic [Tcs*Vcs-1:0] VcsByTc = vcs_by_tc();
  function automatic logic [Tcs-1:0] classes_of(input logic [Vcs-1:0] vcs);
    for (int t = 0; t < Tcs; t++) classes_of[t] = (vcs & VcsByTc[t*Vcs+:Vcs]) != '0;
  endfunction
  logic [Queues-2:0] no_credit;
  logic [Vcs-1:0] waits_for_credit, waits_q;  // of all links
  logic [Tcs-1:0] waits_at_nic, waits_at_nic_q, could_start, stalled_grant_q, served_tc;

  always_comb begin
    no_credit        = '0;
    waits_for_credit = '0;
    waits_at_nic     = '0;
    could_start      = '0;
    if (xt_pkg::NoSkip != 0 || nonempty_i != '0) begin
      no_credit = nonempty_i & ~credit_ok_i;
      for (int o = 0; o < Links; o++) waits_for_credit = waits_for_credit | no_credit[o*Vcs+:Vcs];
      for (int n = 0; n < xt_pkg::NicPorts; n++) waits_at_nic = waits_at_nic | no_credit[Links*Vcs+n*Tcs+:Tcs];
    end
    for (int o = 0; o < xt_pkg::Ports; o++) could_start = could_start | might_start_i[o*Tcs+:Tcs];
  end
  // The queue number tells the VC at a link port, the TC at a NIC port.
  always_comb begin
    served_tc = '0;
    if (serve_valid_i && serve_queue_i != DropNumber) begin
      for (int t = 0; t < Tcs; t++) begin
        served_tc[t] = (32'(serve_queue_i[QueueBits-1:xt_pkg::VcBits]) < Links)
                     ? tc_of(serve_queue_i[xt_pkg::VcBits-1:0]) == t[xt_pkg::TcBits-1:0]
                     : serve_queue_i[xt_pkg::VcBits-1:0] == t[xt_pkg::VcBits-1:0];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    waits_q         <= rst_ni ? waits_for_credit : '0;
    waits_at_nic_q  <= rst_ni ? waits_at_nic : '0;
    stalled_grant_q <= rst_ni ? could_start : '0;
  end
  // Outputs change once in a cycle: in Icarus 11 a process that reads them also wakes those that write them.
  assign stall_credit_o = ((xt_pkg::NoSkip != 0 || waits_q != '0) ? classes_of(waits_q) : '0) | waits_at_nic_q;
  assign stall_grant_o = stalled_grant_q & ~served_tc;

endmodule

`default_nettype wire
