// SPDX-License-Identifier: Apache-2.0
//
// Captures the first error of all ports with the header of its packet. In one cycle the lowest port comes first, and
// within the port the lowest kind.
//
// Latency: a captured error shows after 2 cycles. The first cycle chooses within pairs of neighbouring ports.
// Speed: from an error of a port to the choice of 64 bits out of two.
`default_nettype none

module xt_error_capture (
  /// Clock.
  input  logic                           clk_i,
  /// Reset, active low, synchronous.
  input  logic                           rst_ni,
  /// Forget the captured error and capture the next one.
  input  logic                           clear_i,
  /// Errors of each port: bit 0 illegal route, 1 timeout, 2 poison, 3 table.
  input  logic [    xt_pkg::Ports*4-1:0] event_i,
  /// Last header received at each port, low bits: that of the packet concerned, but for poison at a NIC port.
  input  logic [   xt_pkg::Ports*64-1:0] header_i,
  /// Low bits of the header of the packet under delivery at each NIC port: the header for a poison error.
  input  logic [xt_pkg::NicPorts*64-1:0] delivered_i,
  /// An error was captured.
  output logic                           valid_o,
  /// Port of the error.
  output logic [                    3:0] port_o,
  /// Kind of the error: the bit of event_i plus one.
  output logic [                    2:0] kind_o,
  /// The header.
  output logic [                   63:0] header_o
);

  localparam int Ports = xt_pkg::Ports;
  localparam int Pairs = (Ports + 1) / 2;

  // ---------------------------------------------------------------- each port, with one more that never fails
  logic [  2*Pairs*4-1:0] kinds;
  logic [ 2*Pairs*64-1:0] headers;
  always_comb begin
    kinds   = (2 * Pairs * 4)'(event_i);
    headers = (2 * Pairs * 64)'(header_i);
    for (int n = 0; n < xt_pkg::NicPorts; n++) begin
      if (event_i[(xt_pkg::LinkPorts+n)*4+2])
        headers[(xt_pkg::LinkPorts+n)*64+:64] = delivered_i[n*64+:64];
    end
  end

  // ---------------------------------------------------------------- the lower one of each pair that fails
  logic [   Pairs-1:0] failed_q, upper_q;
  logic [ Pairs*4-1:0] kinds_q;
  logic [Pairs*64-1:0] header_q;

  for (genvar g = 0; g < Pairs; g++) begin : g_pair
    wire lower = kinds[2*g*4+:4] != '0;
    wire upper = kinds[(2*g+1)*4+:4] != '0;
    always_ff @(posedge clk_i) begin
      failed_q[g]          <= rst_ni & (lower | upper);
      upper_q[g]           <= ~lower;
      kinds_q[g*4+:4]      <= lower ? kinds[2*g*4+:4] : kinds[(2*g+1)*4+:4];
      header_q[g*64+:64]   <= lower ? headers[2*g*64+:64] : headers[(2*g+1)*64+:64];
    end
  end

  // ---------------------------------------------------------------- the lowest pair
  logic [Pairs-1:0] first;
  logic [      3:0] port, kinds_first;
  logic [     63:0] header;

  always_comb begin
    first       = failed_q & ~(failed_q - 1'b1);
    port        = '0;
    kinds_first = '0;
    header      = '0;
    for (int g = 0; g < Pairs; g++) begin
      if (first[g]) begin
        port        = port | {g[2:0], upper_q[g]};
        kinds_first = kinds_first | kinds_q[g*4+:4];
        header      = header | header_q[g*64+:64];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o  <= 1'b0;
      port_o   <= '0;
      kind_o   <= '0;
      header_o <= '0;
    end else if (!valid_o || clear_i) begin
      valid_o  <= failed_q != '0;
      port_o   <= port;
      kind_o   <= kinds_first[0] ? 3'd1 : kinds_first[1] ? 3'd2 : kinds_first[2] ? 3'd3 : kinds_first[3] ? 3'd4 : 3'd0;
      header_o <= header;
    end
  end

endmodule

`default_nettype wire
