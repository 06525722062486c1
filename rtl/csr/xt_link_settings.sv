// SPDX-License-Identifier: Apache-2.0
//
// Settings of all link layers: which links are held down or retrain, timeout, retry limit and signs of life. A profile
// without a link layer has none of these registers.
//
// Latency: a setting shows 2 cycles after the write's address. value_o belongs to the address of the cycle before.
// Speed: a register drives the links' settings, because each link has its own copies, far from here.
`default_nettype none

module xt_link_settings (
  /// Clock.
  input  logic                         clk_i,
  /// Reset, active low, synchronous.
  input  logic                         rst_ni,

  /// The address to come is one of the registers that exist once.
  input  logic                         single_i,
  /// Number of the register there.
  input  logic [                  5:0] offset_i,
  /// A write will be carried out in the next cycle.
  input  logic                         write_next_i,
  /// A write is carried out in this cycle.
  input  logic                         write_i,
  /// Data to write, steady from write_next_i on.
  input  logic [                 31:0] wdata_i,
  /// The register, if it is one of these; zero otherwise.
  output logic [                 31:0] value_o,
  /// The register is one of these; each can be written.
  output logic                         hit_o,

  /// Links held down.
  output logic [xt_pkg::LinkPorts-1:0] disable_o,
  /// Retrain these links; a pulse.
  output logic [xt_pkg::LinkPorts-1:0] retrain_o,
  /// Cycles without an acknowledgement until the replay.
  output logic [                 15:0] timeout_o,
  /// Repetitions without success after which a link is down.
  output logic [                  7:0] retry_limit_o,
  /// The setting before is not 0.
  output logic                         retries_o,
  /// Cycles after which an idle link sends a frame; 0: never.
  output logic [                 15:0] keepalive_o,
  /// The setting before is not 0.
  output logic                         keeps_alive_o
);

  if (xt_pkg::HasLinkLayer != 0) begin : g_links
    logic is_disable, is_retrain, is_timing, is_keepalive, at_timing, at_keepalive;
    logic sets_timing_q, sets_keepalive_q;
    // The test for a zero comes first, not behind the wires to all links.
    logic has_limit_q, has_keepalive_q;

    assign at_timing    = single_i && offset_i == xt_pkg::RegLinkTiming[7:2];
    assign at_keepalive = single_i && offset_i == xt_pkg::RegLinkKeepalive[7:2];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        sets_timing_q    <= 1'b0;
        sets_keepalive_q <= 1'b0;
        disable_o        <= '0;
        retrain_o        <= '0;
        timeout_o        <= 16'd256;
        retry_limit_o    <= 8'd8;
        retries_o        <= 1'b1;
        keepalive_o      <= '0;
        keeps_alive_o    <= 1'b0;
      end else begin
        sets_timing_q    <= write_next_i && at_timing;
        sets_keepalive_q <= write_next_i && at_keepalive;
        if (write_i && is_disable) disable_o <= wdata_i[xt_pkg::LinkPorts-1:0];
        retrain_o <= (write_i && is_retrain) ? wdata_i[xt_pkg::LinkPorts-1:0] : '0;
        if (sets_timing_q) begin
          {retry_limit_o, timeout_o} <= wdata_i[23:0];
          retries_o                  <= has_limit_q;
        end
        if (sets_keepalive_q) begin
          keepalive_o   <= wdata_i[15:0];
          keeps_alive_o <= has_keepalive_q;
        end
      end
      is_disable      <= single_i && offset_i == xt_pkg::RegLinkDisable[7:2];
      is_retrain      <= single_i && offset_i == xt_pkg::RegLinkRetrain[7:2];
      is_timing       <= at_timing;
      is_keepalive    <= at_keepalive;
      has_limit_q     <= wdata_i[23:16] != '0;
      has_keepalive_q <= wdata_i[15:0] != '0;
    end

    // LINK_RETRAIN reads 0.
    assign value_o = (is_disable ? 32'(disable_o) : '0) | (is_timing ? {8'b0, retry_limit_o, timeout_o} : '0)
                   | (is_keepalive ? 32'(keepalive_o) : '0);
    assign hit_o   = is_disable | is_retrain | is_timing | is_keepalive;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^wdata_i[31:24];
    // verilator lint_on UNUSEDSIGNAL
  end else begin : g_no_links
    assign value_o       = '0;
    assign hit_o         = 1'b0;
    assign disable_o     = '0;
    assign retrain_o     = '0;
    assign timeout_o     = '0;
    assign retry_limit_o = '0;
    assign retries_o     = 1'b0;
    assign keepalive_o   = '0;
    assign keeps_alive_o = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{clk_i, rst_ni, single_i, offset_i, write_next_i, write_i, wdata_i};
    // verilator lint_on UNUSEDSIGNAL
  end

endmodule

`default_nettype wire
