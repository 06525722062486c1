// SPDX-License-Identifier: Apache-2.0
//
// Packets and cells that passed one way through one port, per traffic class, modulo 2^32.
//
// Latency: counted at the end of the cycle of the event.
// Speed: a LUT RAM read, a 32-bit increment.
`default_nettype none

module xt_traffic_counters (
  /// Clock.
  input  logic                      clk_i,
  /// Clear the counters of TC init_addr_i; must run through all of them after reset.
  input  logic                      init_i,
  /// TC to clear.
  input  logic [              15:0] init_addr_i,
  /// A cell passed.
  input  logic                      valid_i,
  /// It was the first of its packet.
  input  logic                      first_i,
  /// Its traffic class.
  input  logic [xt_pkg::TcBits-1:0] tc_i,
  /// Read-out: traffic class.
  input  logic [xt_pkg::TcBits-1:0] read_tc_i,
  /// Read-out: packets.
  output logic [              31:0] packets_o,
  /// Read-out: cells.
  output logic [              31:0] cells_o
);

  logic [31:0] packets, cells;
  logic        init;

  assign init = init_i && init_addr_i < 16'(xt_pkg::Tcs);

  xt_ram_async #(
    .Width(64),
    .Depth(xt_pkg::Tcs)
  ) i_counters (
    .clk_i,
    .we_i     (init | valid_i),
    .waddr_i  (init ? init_addr_i[xt_pkg::TcBits-1:0] : tc_i),
    .wdata_i  (init ? '0 : {packets + {31'b0, first_i}, cells + 32'd1}),
    .raddr_a_i(tc_i),
    .rdata_a_o({packets, cells}),
    .raddr_b_i(read_tc_i),
    .rdata_b_o({packets_o, cells_o})
  );

endmodule

`default_nettype wire
