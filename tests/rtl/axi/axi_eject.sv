// SPDX-License-Identifier: Apache-2.0
//
// The rules of sim/cocotb/rules hold.
// From the switch to the PE. The switch sends a cell when it has a credit for the cell. A cell is offered within three cycles,
// also to a PE that is not ready.
`default_nettype none

module axi_nic_eject_proof (
  input logic                        clk_i,
  input logic                        valid_i,
  input logic                        poison_i,
  input logic                        tready_i,
  input logic [xt_pkg::CellBits-1:0] cell_i
);

  logic rst_n = 1'b0;
  logic tvalid, tlast, tuser, credit, unused_delivered, unused_poisoned, unused_active;
  logic [xt_pkg::CellBits-1:0] tdata;
  logic [63:0] unused_header;
  logic [15:0] unused_stamp;
  logic [$clog2(xt_pkg::EjectCells+1)-1:0] used = '0;
  wire valid = valid_i & rst_n & (32'(used) != xt_pkg::EjectCells);
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (!rst_n) used <= '0;
    else if (valid != credit) used <= valid ? used + 1'b1 : used - 1'b1;
  end

  xt_nic_eject i_dut (
    .clk_i,
    .rst_ni     (rst_n),
    .valid_i    (valid),
    .cell_i,
    .poison_i,
    .credit_o   (credit),
    .tvalid_o   (tvalid),
    .tready_i,
    .tdata_o    (tdata),
    .tlast_o    (tlast),
    .tuser_o    (tuser),
    .delivered_o(unused_delivered),
    .poisoned_o (unused_poisoned),
    .header_o   (unused_header),
    .stamp_o    (unused_stamp),
    .active_o   (unused_active)
  );
  axi_stream_rules #(.Width(xt_pkg::CellBits + 2)) i_rules (
    .clk_i, .rst_ni(rst_n), .tvalid_i(tvalid), .tready_i, .beat_i({tuser, tlast, tdata}));

  // A cell counts as used for a cycle after it was taken.
  logic [1:0] late_q = '0;
  always_ff @(posedge clk_i) late_q <= (rst_n && used != '0 && !tvalid && !credit) ? late_q + 1'b1 : '0;
  always_comb if (rst_n) the_offer_waits_for_no_one : assert (late_q < 2'd2);

endmodule

`default_nettype wire
