// SPDX-License-Identifier: Apache-2.0
//
// xt_nic_eject against a FIFO in registers: cells come out in order and unchanged, each two cycles after it came or later.
`default_nettype none

module nic_eject_proof (
  input logic                        clk_i,
  input logic                        valid_i,
  input logic [xt_pkg::CellBits-1:0] cell_i,
  input logic                        poison_i,
  input logic                        ready_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  localparam int Bits = xt_pkg::CellBits + 1;  // with its poison
  logic [                 2:0] written_q, before_q, read_q;  // before_q: written before the last cycle
  logic [          4*Bits-1:0] cells_q;
  logic                        valid, tvalid, tlast, tuser;
  logic [xt_pkg::CellBits-1:0] tdata;
  // Credits keep the FIFO of four cells from being overrun.
  wire  [                 2:0] held = written_q - read_q;
  assign valid = rst_n && valid_i && held != 3'd4;

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      written_q <= '0;
      before_q  <= '0;
      read_q    <= '0;
    end else begin
      before_q <= written_q;
      if (valid) begin
        written_q                               <= written_q + 1'b1;
        cells_q[Bits*32'(written_q[1:0])+:Bits] <= {poison_i, cell_i};
      end
      if (tvalid && ready_i) read_q <= read_q + 1'b1;
    end
  end

  xt_nic_eject i_dut (
    .clk_i,
    .rst_ni     (rst_n),
    .valid_i    (valid),
    .cell_i,
    .poison_i,
    .credit_o   (),
    .tvalid_o   (tvalid),
    .tready_i   (ready_i),
    .tdata_o    (tdata),
    .tlast_o    (tlast),
    .tuser_o    (tuser),
    .delivered_o(),
    .poisoned_o (),
    .header_o   (),
    .stamp_o    (),
    .active_o   ()
  );

  wire [Bits-1:0] expected = cells_q[Bits*32'(read_q[1:0])+:Bits];
  always_comb begin
    if (rst_n) begin
      a_cell_is_there_when_it_should_be : assert (tvalid == (before_q != read_q));
      it_is_the_one_that_came : assert (!tvalid || tdata == expected[Bits-2:0]);
      it_is_poisoned_if_it_came_so : assert (!tvalid || !tlast || tuser == expected[Bits-1]);
    end
  end

endmodule

`default_nettype wire
