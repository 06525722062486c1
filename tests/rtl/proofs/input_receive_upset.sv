// SPDX-License-Identifier: Apache-2.0
//
// xt_input_receive after an upset, with any routes: the head of a packet whose choice of an output fails is queued as one
// without a route. No packet leaves by the link of its arrival unless the deterministic way does.
`default_nettype none

module input_receive_upset_proof (
  input logic                                     clk_i,
  input logic [               xt_pkg::VcBits-1:0] vc_i,
  input logic                                         valid_i,
  input logic [             xt_pkg::CellBits-1:0] cell_i,
  input logic [xt_pkg::Tcs*xt_pkg::LinkPorts-1:0] usable_i,
  input logic [xt_pkg::Tcs*xt_pkg::LinkPorts-1:0] low_i,
  input logic [            xt_pkg::LinkPorts-1:0] group0_i,
  input logic [            xt_pkg::LinkPorts-1:0] group1_i
);

  localparam int Port = 1;
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1;

  logic [Queues-1:0] queue;
  logic              head;
  logic [xt_pkg::Ports+xt_pkg::Vcs-1:0] escape;
  xt_input_receive #(
    .Port(Port)
  ) i_dut (
    .clk_i,
    .rst_ni           (1'b1),
    .lookahead_vc_i   (vc_i),
    .lookahead_dest_i ('0),
    .lookahead_other_i(1'b0),
    .lookahead_valid_i(1'b1),
    .valid_i,
    .vc_i,
    .cell_i,
    .usable_i,
    .low_i,
    .group0_i,
    .group1_i,
    .ring_i           ('0),
    .vc_ring_from_i   ('0),
    .requeue_escape_i ('0),
    .requeue_i        (1'b0),
    .requeue_vc_i     ('0),
    .enqueue_onehot_o (queue),
    .escape_o         (escape),
    .active_o         (head)
  );

  // What the first cells left before the upset is out of the pipeline.
  logic [1:0] cycle = '0;
  always_ff @(posedge clk_i) if (cycle != '1) cycle <= cycle + 1'b1;

  always_comb if (cycle == '1) each_head_is_queued : assert (!head || queue != '0);
  always_comb if (cycle == '1) no_choice_leads_back : assert (!head || escape[xt_pkg::Vcs+Port] || queue[Port*xt_pkg::Vcs+:xt_pkg::Vcs] == '0);

endmodule

`default_nettype wire
