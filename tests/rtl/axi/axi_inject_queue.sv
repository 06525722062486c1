// SPDX-License-Identifier: Apache-2.0
//
// The rules of sim/cocotb/rules hold.
// Packets from the host to a NIC port. The host writes what the queue has room for.
`default_nettype none

module axi_inject_queue_proof #(
  parameter int Depth = 8
) (
  input logic        clk_i,
  input logic        push_i,
  input logic        commit_i,
  input logic        tready_i,
  input logic [31:0] word_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic tvalid, tlast;
  logic [63:0] tdata;
  logic [15:0] free, unused_taken;

  xt_bridge_inject_queue #(.Depth(Depth), .CellWords(2), .CellBits(64)) i_dut (
    .clk_i,
    .rst_ni  (rst_n),
    .push_i  (push_i & free != '0),
    .word_i,
    .commit_i,
    .free_o  (free),
    .taken_o (unused_taken),
    .tvalid_o(tvalid),
    .tready_i,
    .tdata_o (tdata),
    .tlast_o (tlast)
  );
  axi_stream_rules #(.Width(65)) i_rules (.clk_i, .rst_ni(rst_n), .tvalid_i(tvalid), .tready_i, .beat_i({tlast, tdata}));

endmodule

`default_nettype wire
