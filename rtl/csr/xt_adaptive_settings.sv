// SPDX-License-Identifier: Apache-2.0
//
// Settings of adaptive routing: how a candidate is chosen, and for how long a packet waits for an adaptive VC. A profile
// without adaptive VCs has none of these registers.
//
// Latency: a setting shows 2 cycles after the write's address. value_o belongs to the address of the cycle before.
// Speed: the choice of one register out of four; the address is decoded as it comes, into registers.
`default_nettype none

module xt_adaptive_settings (
  /// Clock.
  input  logic                         clk_i,
  /// Reset, active low, synchronous.
  input  logic                         rst_ni,

  /// The address to come is one of the registers that exist once.
  input  logic                         single_i,
  /// Number of the register there.
  input  logic [                  5:0] offset_i,
  /// A write is carried out in this cycle.
  input  logic                         write_i,
  /// Data to write.
  input  logic [                 31:0] wdata_i,
  /// The register, if it is one of these; zero otherwise.
  output logic [                 31:0] value_o,
  /// The register is one of these; each can be written.
  output logic                         hit_o,

  /// How an adaptive candidate is chosen.
  output logic [                  1:0] select_o,
  /// Used credits below which an adaptive VC is preferred.
  output logic [                 15:0] low_o,
  /// Used credits from which on an adaptive VC is not chosen.
  output logic [                 15:0] high_o,
  /// Internal link ports.
  output logic [xt_pkg::LinkPorts-1:0] internal_o,
  /// Link ports of the middle dimension.
  output logic [xt_pkg::LinkPorts-1:0] middle_o,
  /// Cycles for which a packet waits for an adaptive VC.
  output logic [                 15:0] patience_o
);

  if (xt_pkg::HasAdaptive != 0) begin : g_adaptive
    logic is_select, is_thresholds, is_ports, is_patience;

    always_ff @(posedge clk_i) begin
      is_select     <= single_i && offset_i == xt_pkg::RegAdaptiveSelect[7:2];
      is_thresholds <= single_i && offset_i == xt_pkg::RegAdaptiveThresholds[7:2];
      is_ports      <= single_i && offset_i == xt_pkg::RegAdaptivePorts[7:2];
      is_patience   <= single_i && offset_i == xt_pkg::RegAdaptivePatience[7:2];
      if (!rst_ni) begin
        select_o   <= '0;
        low_o      <= 16'(xt_pkg::PacketCells);
        high_o     <= 16'(4 * xt_pkg::PacketCells);
        internal_o <= '0;
        middle_o   <= '0;
        patience_o <= 16'd64;
      end else begin
        if (write_i && is_select) select_o <= wdata_i[1:0];
        if (write_i && is_thresholds) {high_o, low_o} <= wdata_i;
        if (write_i && is_ports) begin
          internal_o <= wdata_i[xt_pkg::LinkPorts-1:0];
          middle_o   <= wdata_i[8+:xt_pkg::LinkPorts];
        end
        if (write_i && is_patience) patience_o <= wdata_i[15:0];
      end
    end

    assign value_o = (is_select ? 32'(select_o) : '0) | (is_thresholds ? {high_o, low_o} : '0)
                   | (is_ports ? {16'b0, 8'(middle_o), 8'(internal_o)} : '0) | (is_patience ? 32'(patience_o) : '0);
    assign hit_o   = is_select | is_thresholds | is_ports | is_patience;
  end else begin : g_no_adaptive
    assign value_o    = '0;
    assign hit_o      = 1'b0;
    assign select_o   = '0;
    assign low_o      = '0;
    assign high_o     = '0;
    assign internal_o = '0;
    assign middle_o   = '0;
    assign patience_o = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{clk_i, rst_ni, single_i, offset_i, write_i, wdata_i};
    // verilator lint_on UNUSEDSIGNAL
  end

endmodule

`default_nettype wire
