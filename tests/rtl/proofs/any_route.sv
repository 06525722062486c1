// SPDX-License-Identifier: Apache-2.0
//
// Replaces xt_route_table in proofs of what its reader does: any route, damaged or not, in every cycle.
`default_nettype none

module xt_route_table (
  input  logic                                    clk_i,
  input  logic [              xt_pkg::IdBits-1:0] dest_i,
  input  logic [              xt_pkg::TcBits-1:0] tc_i,
  input  logic                                    other_i,
  input  logic [              xt_pkg::IdBits-1:0] other_dest_i,
  input  logic [              xt_pkg::TcBits-1:0] other_tc_i,
  input  logic [              xt_pkg::IdBits-1:0] own_i,
  input  logic [                 xt_pkg::Tcs-1:0] order_i,
  input  logic [  xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_i,
  output logic [        xt_pkg::EntryTcBits-1:0]  route_o,
  output logic                                    route_error_o,
  input  logic                                    grt_we_i,
  input  logic                                    lrt_we_i,
  input  logic [xt_pkg::TableAddrBits-1:0] index_i,
  input  logic [     xt_pkg::EntryStoredBits-1:0] wdata_i,
  input  logic                                    looks_i,
  input  logic                                    lookup_i,
  input  logic                                    read_i,
  input  logic                                    read_grt_i,
  output logic                                    read_grant_o,
  output logic [     xt_pkg::EntryStoredBits-1:0] rdata_o
);

  (* anyseq *) logic [xt_pkg::EntryTcBits-1:0] route;
  (* anyseq *) logic                           route_error;
  assign route_o       = route;
  assign route_error_o = route_error;
  assign read_grant_o  = 1'b0;
  assign rdata_o       = '0;

endmodule

`default_nettype wire
