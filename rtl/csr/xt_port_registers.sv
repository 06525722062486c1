// SPDX-License-Identifier: Apache-2.0
//
// Registers of one port: weights of its traffic classes, its ring, who enters it, its error flags, and the
// state of buffer, credits and link. This module selects one word; an OR outside joins the ports' words.
//
// Latency: word_o shows the word of the cycle before, or zero unless this port was read.
// Speed: a choice of one word out of nine, the weight being one of Tcs.
`default_nettype none

module xt_port_registers #(
  /// The port is a link port.
  parameter bit IsLink = 1'b1,
  /// Bits of a number of cells in the next buffer.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1)
) (
  /// Clock.
  input  logic                         clk_i,
  /// Reset, active low, synchronous.
  input  logic                         rst_ni,

  /// Write the weight of a traffic class.
  input  logic                         write_weight_i,
  /// Number of the traffic class.
  input  logic [                  1:0] write_tc_i,
  /// Write the ring.
  input  logic                         write_ring_i,
  /// Write where the rings of VC 1 to 3 come from.
  input  logic                         write_vc_ring_from_i,
  /// Write who enters the ring.
  input  logic                         write_entrants_i,
  /// Clear the error flags whose bit in the data is 1.
  input  logic                         clear_flags_i,
  /// Data to write.
  input  logic [                 11:0] wdata_i,

  /// Weight of each TC at this output, 4 bits each.
  output logic [    xt_pkg::Tcs*4-1:0] weight_o,
  /// Ring: FROM, VCS, FROM_VCS.
  output logic [                 11:0] ring_o,
  /// Ports from which the rings of VC 1 to 3 come, 4 bits each.
  output logic [                 11:0] vc_ring_from_o,
  /// Link ports whose packets enter the ring from the next clock edge on.
  output logic [xt_pkg::LinkPorts-1:0] entrants_next_o,

  /// Errors: bit 0 illegal route, 1 timeout, 2 poison, 3 table.
  input  logic [                  3:0] error_event_i,
  /// A counter passed 2^32.
  input  logic                         wrapped_i,
  /// Free cells of the input buffer.
  input  logic [xt_pkg::CellAddrBits:0] free_i,
  /// Fewest free cells since the last clear.
  input  logic [xt_pkg::CellAddrBits:0] least_free_i,
  /// Credits used of the VC that is read.
  input  logic [        CountBits-1:0] used_i,
  /// State of the link.
  input  logic [                  1:0] link_state_i,
  /// Cause of DOWN.
  input  logic [                  2:0] link_cause_i,

  /// This port is read.
  input  logic                         read_i,
  /// The word, one-hot: free cells, fewest of them, credits used, error flags, link state, weight, ring,
  /// entrants, where the rings of other VCs come from.
  input  logic [                  8:0] select_i,
  /// TC whose weight is read.
  input  logic [                  1:0] read_tc_i,
  /// The word.
  output logic [                 15:0] word_o
);

  logic [4:0] flags_q;
  logic [3:0] weight;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) flags_q <= '0;
    else flags_q <= (flags_q & ~(clear_flags_i ? wdata_i[4:0] : 5'b0)) | {wrapped_i, error_event_i};
  end

  if (xt_pkg::HasQos != 0) begin : g_qos
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        weight_o <= '0;
      end else begin
        for (int t = 0; t < xt_pkg::Tcs; t++) begin
          if (write_weight_i && write_tc_i == t[1:0]) weight_o[t*4+:4] <= wdata_i[3:0];
        end
      end
    end
  end else begin : g_no_qos
    assign weight_o = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused_weight = write_weight_i | (write_tc_i != '0);
    // verilator lint_on UNUSEDSIGNAL
  end

  if (xt_pkg::HasBubble != 0 && IsLink) begin : g_ring
    always_ff @(posedge clk_i) begin
      if (!rst_ni) ring_o <= '0;
      else if (write_ring_i) ring_o <= wdata_i;
    end
  end else begin : g_no_ring
    assign ring_o = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused_ring = write_ring_i | (wdata_i[11:4] != '0);
    // verilator lint_on UNUSEDSIGNAL
  end

  if (xt_pkg::HasVcRings != 0 && IsLink) begin : g_vc_rings
    always_ff @(posedge clk_i) begin
      if (!rst_ni) vc_ring_from_o <= '0;
      else if (write_vc_ring_from_i) vc_ring_from_o <= wdata_i;
    end
  end else begin : g_no_vc_rings
    assign vc_ring_from_o = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused_vc_ring_from = write_vc_ring_from_i;
    // verilator lint_on UNUSEDSIGNAL
  end

  logic [xt_pkg::LinkPorts-1:0] entrants_q;
  if (xt_pkg::SharedCells != 0 && IsLink) begin : g_entrants
    assign entrants_next_o = !rst_ni ? '0 : write_entrants_i ? wdata_i[xt_pkg::LinkPorts-1:0] : entrants_q;
    always_ff @(posedge clk_i) entrants_q <= entrants_next_o;
  end else begin : g_no_entrants
    assign entrants_q      = '0;
    assign entrants_next_o = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused_entrants = write_entrants_i;
    // verilator lint_on UNUSEDSIGNAL
  end

  always_comb begin
    weight = '0;
    for (int t = 0; t < xt_pkg::Tcs; t++) begin
      if (read_tc_i == t[1:0]) weight = weight | weight_o[t*4+:4];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!read_i) word_o <= '0;
    else
      word_o <= (select_i[0] ? 16'(free_i) : '0) | (select_i[1] ? 16'(least_free_i) : '0)
              | (select_i[2] ? 16'(used_i) : '0) | (select_i[3] ? 16'(flags_q) : '0)
              | (select_i[4] ? 16'({link_cause_i, link_state_i}) : '0) | (select_i[5] ? 16'(weight) : '0)
              | (select_i[6] ? 16'(ring_o) : '0) | (select_i[7] ? 16'(entrants_q) : '0)
              | (select_i[8] ? 16'(vc_ring_from_o) : '0);
  end

endmodule

`default_nettype wire
