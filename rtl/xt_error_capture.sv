// SPDX-License-Identifier: Apache-2.0
//
// Captures the first error of all ports with the header of its packet; in one cycle the lowest port and the lowest
// kind come first.
//
// Latency: an error is there in the next cycle.
// Speed: from an error of one of the ports to the choice of 64 bits out of all of them.
`default_nettype none

module xt_error_capture (
  /// Clock.
  input  logic                           clk_i,
  /// Reset, active low, synchronous.
  input  logic                           rst_ni,
  /// Forget it and capture again.
  input  logic                           clear_i,
  /// Errors of each port: bit 0 illegal route, 1 timeout, 2 poison, 3 table.
  input  logic [    xt_pkg::Ports*4-1:0] event_i,
  /// Last header received at each port, low bits: that of the packet concerned, but for poison at a NIC port.
  input  logic [   xt_pkg::Ports*64-1:0] header_i,
  /// Header of the packet that is delivered at each NIC port: that of poison.
  input  logic [xt_pkg::NicPorts*64-1:0] delivered_i,
  /// An error was captured.
  output logic                           valid_o,
  /// Its port.
  output logic [                    3:0] port_o,
  /// Its kind, the bit of event_i plus one.
  output logic [                    2:0] kind_o,
  /// The header.
  output logic [                   63:0] header_o
);

  logic [xt_pkg::Ports-1:0] failed, first;
  logic [              3:0] port, kinds;
  logic [             63:0] header;

  always_comb begin
    for (int p = 0; p < xt_pkg::Ports; p++) failed[p] = event_i[p*4+:4] != '0;
    first  = failed & ~(failed - 1'b1);
    port   = '0;
    kinds  = '0;
    header = '0;
    for (int p = 0; p < xt_pkg::Ports; p++) begin
      if (first[p]) begin
        port  = port | p[3:0];
        kinds = kinds | event_i[p*4+:4];
      end
      if (first[p] && (p < xt_pkg::LinkPorts || !event_i[p*4+2])) header = header | header_i[p*64+:64];
    end
    for (int n = 0; n < xt_pkg::NicPorts; n++) begin
      if (first[xt_pkg::LinkPorts+n] && event_i[(xt_pkg::LinkPorts+n)*4+2]) header = header | delivered_i[n*64+:64];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o  <= 1'b0;
      port_o   <= '0;
      kind_o   <= '0;
      header_o <= '0;
    end else if (!valid_o || clear_i) begin
      valid_o  <= failed != '0;
      port_o   <= port;
      kind_o   <= kinds[0] ? 3'd1 : kinds[1] ? 3'd2 : kinds[2] ? 3'd3 : kinds[3] ? 3'd4 : 3'd0;
      header_o <= header;
    end
  end

endmodule

`default_nettype wire
