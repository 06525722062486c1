// SPDX-License-Identifier: Apache-2.0
//
// Length class of a packet in the credit check: the first class that is long enough. With Bubble there is one more class,
// of packets that enter a ring.
//
// Latency: combinational.
// Why its processes are always @*: rtl/README.md.
`default_nettype none

module xt_length_class #(
  /// Bits of a packet length minus one.
  parameter int LenBits = 2,
  /// Number of length classes.
  parameter int Classes = 1,
  /// Cells of each length class, 8 bits each, ascending from the low bits.
  parameter logic [Classes*8-1:0] LengthClass = 8'd4,
  /// Packets that enter a ring are of the last class, whatever their length.
  parameter int Bubble = 0,
  /// Bits of a length class.
  localparam int ClassBits = (Classes > 1) ? $clog2(Classes) : 1
) (
  // With one class nobody looks.
  // verilator lint_off UNUSEDSIGNAL
  /// Length of the packet, minus one.
  input  logic [  LenBits-1:0] len_i,
  /// The packet enters a ring.
  input  logic                 enters_i,
  // verilator lint_on UNUSEDSIGNAL
  /// Its class.
  output logic [ClassBits-1:0] class_o
);

  localparam int LastOfLengths = Classes - 1 - Bubble;

  always @* begin
    class_o = '0;
    for (int c = 0; c < LastOfLengths; c++) begin
      if (len_i >= LenBits'(LengthClass[c*8+:8])) class_o = ClassBits'(c + 1);
    end
    if (Bubble != 0 && enters_i) class_o = ClassBits'(Classes - 1);
  end

endmodule

`default_nettype wire
