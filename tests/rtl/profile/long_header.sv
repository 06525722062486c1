// SPDX-License-Identifier: Apache-2.0
//
// xt_nic_inject with longest packets of three cells: a header of two bits can name four. Such a packet counts as one framing
// error, and none of its cells reaches the switch. The packet behind it passes.
`timescale 1ns / 1ps
`default_nettype none

module long_header;

  logic clk = 1'b0, rst_n = 1'b0, tvalid = 1'b0, tlast = 1'b0, tready, valid, framing_error;
  logic [xt_pkg::CellBits-1:0] tdata = '0, sent;
  always #5 clk = ~clk;

  xt_nic_inject i_dut (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .ready_i        (1'b1),
    .quiesce_i      (1'b0),
    .unrouted_i     (1'b0),
    .stamp_i        (1'b0),
    .time_i         (16'd0),
    .tvalid_i       (tvalid),
    .tready_o       (tready),
    .tdata_i        (tdata),
    .tlast_i        (tlast),
    .valid_o        (valid),
    .cell_o         (sent),
    .credit_i       (1'b0),
    .credit_vc_i    ({xt_pkg::VcBits{1'b0}}),
    .framing_error_o(framing_error)
  );

  int cells = 0, errors = 0, wrong = 0;
  always @(negedge clk) if (rst_n) begin
    cells  = cells + 32'(valid);
    errors = errors + 32'(framing_error);
    if (valid && sent[xt_pkg::CellBits-1-:4] != 4'hb) wrong = wrong + 1;
  end

  // A packet whose header names so many cells.
  task automatic send(input int cells_named, input int beats, input logic [3:0] mark);
    for (int b = 0; b < beats; b++) begin
      tvalid = 1'b1;
      tdata  = (b == 0) ? xt_pkg::CellBits'(cells_named - 1) << xt_pkg::HdrLenLsb : xt_pkg::CellBits'(b);
      tdata[xt_pkg::CellBits-1-:4] = mark;
      tlast = b == beats - 1;
      @(posedge clk);
      while (!tready) @(posedge clk);
      #1;
    end
    tvalid = 1'b0;
  endtask

  initial begin
    #100;
    rst_n = 1'b1;
    repeat (8) @(posedge clk);
    #1 send(4, 4, 4'ha);
    send(3, 3, 4'hb);
    send(4, 1, 4'ha);
    send(4, 7, 4'ha);
    send(1, 1, 4'hb);
    repeat (20) @(posedge clk);
    if (cells == 4 && errors == 3 && wrong == 0) $display("PASS");
    else $display("FAIL: %0d cells, %0d framing errors, %0d wrong cells", cells, errors, wrong);
    $finish;
  end

  initial begin
    #100000 $display("FAIL: the NIC hangs");
    $finish;
  end

endmodule

`default_nettype wire
