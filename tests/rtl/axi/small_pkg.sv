// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a NIC port that are small enough for proofs over every reachable state.
package xt_pkg;
  localparam int Ports = 7;
  localparam int CellBits = 8;
  localparam int EjectCells = 4;
  localparam int LenBits = 2;
  localparam int HdrLenLsb = 0;
  localparam int HdrStampLsb = 0;
  localparam int StampBits = 0;
  localparam int HasLinkLayer = 1;
endpackage
