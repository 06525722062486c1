// SPDX-License-Identifier: Apache-2.0
//
// Registers of the monitors: the first error of all ports with the header of its packet (xt_error_capture), and the time
// for which an input may serve nothing. A profile without monitors has none of these registers.
//
// Latency: a setting shows 2 cycles after the write's address, an error after 2 cycles. value_o belongs to the address of
// the cycle before.
// Speed: xt_error_capture; the address is decoded as it comes, into registers.
`default_nettype none

module xt_monitor_registers (
  /// Clock.
  input  logic                           clk_i,
  /// Reset, active low, synchronous.
  input  logic                           rst_ni,

  /// The address to come is one of the registers that exist once.
  input  logic                           single_i,
  /// Number of the register there.
  input  logic [                    5:0] offset_i,
  /// A write is carried out in this cycle.
  input  logic                           write_i,
  /// CLEAR is written.
  input  logic                           clear_i,
  /// Data to write.
  input  logic [                   15:0] wdata_i,
  /// The register, if it is one of these; zero otherwise.
  output logic [                   31:0] value_o,
  /// The register is one of these.
  output logic                           hit_o,
  /// It can be written.
  output logic                           writable_o,

  /// Errors of each port: bit 0 illegal route, 1 timeout, 2 poison, 3 table.
  input  logic [    xt_pkg::Ports*4-1:0] error_event_i,
  /// Last header received at each port, low bits.
  input  logic [   xt_pkg::Ports*64-1:0] error_header_i,
  /// Low bits of the header of the packet under delivery at each NIC port.
  input  logic [xt_pkg::NicPorts*64-1:0] delivered_header_i,

  /// Cycles for which an input may serve nothing; 0: for ever.
  output logic [                   15:0] stall_timeout_o,
  /// Begin the high-water marks anew; a pulse.
  output logic                           clear_high_water_o
);

  if (xt_pkg::HasMonitors != 0) begin : g_monitors
    logic        is_stall, is_source, is_header_low, is_header_high, clear_error_q, error_valid;
    logic [ 3:0] error_port;
    logic [ 2:0] error_kind;
    logic [63:0] error_header;

    always_ff @(posedge clk_i) begin
      is_stall       <= single_i && offset_i == xt_pkg::RegStallTimeout[7:2];
      is_source      <= single_i && offset_i == xt_pkg::RegErrorSource[7:2];
      is_header_low  <= single_i && offset_i == xt_pkg::RegErrorHeaderLow[7:2];
      is_header_high <= single_i && offset_i == xt_pkg::RegErrorHeaderHigh[7:2];
      if (!rst_ni) begin
        stall_timeout_o    <= '0;
        clear_high_water_o <= 1'b0;
        clear_error_q      <= 1'b0;
      end else begin
        if (write_i && is_stall) stall_timeout_o <= wdata_i;
        clear_high_water_o <= clear_i & wdata_i[0];
        clear_error_q      <= clear_i & wdata_i[2];
      end
    end

    xt_error_capture i_error_capture (
      .clk_i,
      .rst_ni,
      .clear_i    (clear_error_q),
      .event_i    (error_event_i),
      .header_i   (error_header_i),
      .delivered_i(delivered_header_i),
      .valid_o    (error_valid),
      .port_o     (error_port),
      .kind_o     (error_kind),
      .header_o   (error_header)
    );

    assign value_o    = (is_stall ? 32'(stall_timeout_o) : '0)
                      | (is_source ? {24'b0, error_port, error_kind, error_valid} : '0)
                      | (is_header_low ? error_header[31:0] : '0) | (is_header_high ? error_header[63:32] : '0);
    assign hit_o      = is_stall | is_source | is_header_low | is_header_high;
    assign writable_o = is_stall;
  end else begin : g_no_monitors
    assign value_o            = '0;
    assign hit_o              = 1'b0;
    assign writable_o         = 1'b0;
    assign stall_timeout_o    = '0;
    assign clear_high_water_o = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{clk_i, rst_ni, single_i, offset_i, write_i, clear_i, wdata_i, error_event_i, error_header_i,
                    delivered_header_i};
    // verilator lint_on UNUSEDSIGNAL
  end

endmodule

`default_nettype wire
