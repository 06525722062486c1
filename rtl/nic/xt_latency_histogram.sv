// SPDX-License-Identifier: Apache-2.0
//
// Histogram of packet times from injection to delivery at one NIC. Bin b counts times of at least 2^b and less than
// 2^(b+1) cycles; bin 0 also counts zero cycles. Time is modulo 2^16 cycles: all cards must share the time, and no
// packet may take longer.
//
// After reset and after clear_i the bins are cleared one after the other. Packets delivered in these cycles
// are not counted.
//
// Latency: counted 3 cycles after delivered_i; LatencyBins cycles to clear.
// Speed: a LUT RAM read and a 32-bit increment.
`default_nettype none

module xt_latency_histogram #(
  /// Bits of the number of a bin.
  localparam int BinBits = $clog2(xt_pkg::LatencyBins)
) (
  /// Clock.
  input  logic               clk_i,
  /// Reset, active low, synchronous.
  input  logic               rst_ni,
  /// Count.
  input  logic               enable_i,
  /// Clear all bins.
  input  logic               clear_i,
  /// Now.
  input  logic [       15:0] now_i,
  /// A packet was delivered.
  input  logic               delivered_i,
  /// Injection time of the packet.
  input  logic [       15:0] stamp_i,
  /// Read-out: bin.
  input  logic [BinBits-1:0] read_bin_i,
  /// Read-out: packets in that bin.
  output logic [       31:0] read_count_o,
  /// Something is being counted or cleared.
  output logic               active_o
);

  if (xt_pkg::LatencyBins != 16) begin : g_illegal
    xt_latency_histogram_has_a_bin_per_bit_of_time i_illegal ();
  end

  logic               late_q, count_q, clear_q;
  logic [       15:0] latency_q;
  logic [BinBits-1:0] bin, bin_q, clear_bin_q;
  logic [       31:0] count;

  // The highest set bit: first the group of four, then the bit within the group.
  logic [3:0] groups;
  always_comb begin
    bin = '0;
    for (int g = 0; g < 4; g++) groups[g] = latency_q[g*4+:4] != '0;
    for (int g = 0; g < 4; g++) begin
      if (groups[g] && (groups >> (g + 1)) == '0) begin
        bin[3:2] = bin[3:2] | g[1:0];
        bin[1]   = bin[1] | latency_q[g*4+3] | latency_q[g*4+2];
        bin[0]   = bin[0] | latency_q[g*4+3] | (latency_q[g*4+1] & ~latency_q[g*4+2]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      late_q      <= 1'b0;
      count_q     <= 1'b0;
      clear_q     <= 1'b1;
      clear_bin_q <= '0;
    end else begin
      late_q  <= delivered_i & enable_i;
      count_q <= late_q;
      if (clear_i) clear_q <= 1'b1;
      else if (clear_bin_q == '1) clear_q <= 1'b0;
      clear_bin_q <= (clear_q && !clear_i) ? clear_bin_q + 1'b1 : '0;
    end
    if (delivered_i) latency_q <= now_i - stamp_i;
    bin_q <= bin;
  end

  xt_ram_async #(
    .Width(32),
    .Depth(xt_pkg::LatencyBins)
  ) i_bins (
    .clk_i,
    .we_i   (clear_q | count_q),
    .waddr_i(clear_q ? clear_bin_q : bin_q),
    .wdata_i(clear_q ? '0 : count + 32'd1),
    .raddr_i({read_bin_i, bin_q}),
    .rdata_o({read_count_o, count})
  );

  assign active_o = delivered_i | late_q | count_q | clear_i | clear_q;

endmodule

`default_nettype wire
