// SPDX-License-Identifier: Apache-2.0
//
// A NIC port of a card: injection, ejection and the histogram of latencies of what is delivered. With StoreForward a
// packet waits in xt_packet_fifo until all of the packet has come. A quiesced port then takes beats until the FIFO is full.
//
// Latency: that of xt_nic_inject and xt_nic_eject, and of xt_packet_fifo where there is one. Stamps begin behind the FIFO.
// Speed: likewise.
`default_nettype none

module xt_nic_port #(
  /// 1: a packet enters the switch when all of the packet has come.
  parameter int StoreForward = 0,
  /// Bits of a cell inside the switch: with a link layer, the poison bit is on top.
  localparam int StoredBits = xt_pkg::CellBits + xt_pkg::HasLinkLayer
) (
  /// Clock.
  input  logic                          clk_i,
  /// Reset, active low, synchronous.
  input  logic                          rst_ni,
  /// The switch is initialised.
  input  logic                          ready_i,
  /// Start no packet.
  input  logic                          quiesce_i,
  /// The lookup is not that of lookahead_dest_o.
  input  logic                          unrouted_i,
  /// Put the time into the header, and count latencies.
  input  logic                          stamp_i,
  /// The time.
  input  logic                 [16-1:0] time_i,
  /// AXI4-Stream, injection.
  input  logic                          tvalid_i,
  /// AXI4-Stream, injection.
  output logic                          tready_o,
  /// AXI4-Stream, injection.
  input  logic   [xt_pkg::CellBits-1:0] tdata_i,
  /// AXI4-Stream, injection.
  input  logic                          tlast_i,
  /// AXI4-Stream, ejection.
  output logic                          tvalid_o,
  /// AXI4-Stream, ejection.
  input  logic                          tready_i,
  /// AXI4-Stream, ejection.
  output logic   [xt_pkg::CellBits-1:0] tdata_o,
  /// AXI4-Stream, ejection.
  output logic                          tlast_o,
  /// AXI4-Stream, ejection.
  output logic                          tuser_o,
  /// A cell goes to the switch.
  output logic                          in_valid_o,
  /// VC of the cell.
  output logic     [xt_pkg::VcBits-1:0] in_vc_o,
  /// The cell.
  output logic         [StoredBits-1:0] in_cell_o,
  /// A cell was freed in the input buffer.
  input  logic                          in_credit_i,
  /// VC of the credit.
  input  logic     [xt_pkg::VcBits-1:0] in_credit_vc_i,
  /// VC of the cell that goes to the switch LookupCycles from now at the earliest.
  output logic     [xt_pkg::VcBits-1:0] lookahead_vc_o,
  /// Destination in that cell, if the cell is a header.
  output logic     [xt_pkg::IdBits-1:0] lookahead_dest_o,
  /// Bypass: look up the next head.
  output logic                          lookahead_other_o,
  /// VC of the bypass.
  output logic     [xt_pkg::VcBits-1:0] lookahead_other_vc_o,
  /// Destination of the bypass.
  output logic     [xt_pkg::IdBits-1:0] lookahead_other_dest_o,
  /// A cell comes from the switch.
  input  logic                          out_valid_i,
  /// The cell.
  input  logic         [StoredBits-1:0] out_cell_i,
  /// A cell of the buffer here was freed.
  output logic                          out_credit_o,
  /// A pulse: the tlast of a packet did not match the header's length.
  output logic                          framing_error_o,
  /// A pulse: an incomplete packet was delivered.
  output logic                          poisoned_o,
  /// Low bits of the header of the packet under delivery.
  output logic                 [64-1:0] header_o,
  /// Clear the histogram; a pulse.
  input  logic                          clear_latency_i,
  /// Bin for a read of the histogram.
  input  logic [$clog2(xt_pkg::LatencyBins)-1:0] latency_bin_i,
  /// Packets in the bin.
  output logic                 [32-1:0] latency_count_o,
  /// A packet is being sent, or delivered.
  output logic                          sending_o,
  /// Something is in flight inside.
  output logic                          active_o,
  /// The histogram is at work.
  output logic                          histogram_active_o
);

  logic [xt_pkg::CellBits-1:0] injected;
  logic                        cut_short, poison, delivered, injecting, injects, ejects;
  logic [                15:0] stamped;
  logic [xt_pkg::CellBits-1:0] beat;
  logic                        beat_valid, beat_ready, beat_last, stores;

  if (StoreForward != 0) begin : g_store
    logic room;

    assign tready_o = ready_i & room;

    xt_packet_fifo #(
      .Width      (xt_pkg::CellBits),
      .PacketBeats(xt_pkg::PacketCells)
    ) i_store (
      .clk_i,
      .rst_ni,
      .tvalid_i(tvalid_i & ready_i),
      .tready_o(room),
      .tdata_i,
      .tlast_i,
      .tvalid_o(beat_valid),
      .tready_i(beat_ready),
      .tdata_o (beat),
      .tlast_o (beat_last),
      .active_o(stores)
    );
  end else begin : g_no_store
    assign beat_valid = tvalid_i;
    assign tready_o   = beat_ready;
    assign beat       = tdata_i;
    assign beat_last  = tlast_i;
    assign stores     = 1'b0;
  end

  xt_nic_inject i_inject (
    .clk_i,
    .rst_ni,
    .ready_i,
    .quiesce_i,
    .unrouted_i,
    .stamp_i,
    .time_i,
    .tvalid_i              (beat_valid),
    .tready_o              (beat_ready),
    .tdata_i               (beat),
    .tlast_i               (beat_last),
    .valid_o               (in_valid_o),
    .vc_o                  (in_vc_o),
    .cell_o                (injected),
    .poison_o              (cut_short),
    .lookahead_vc_o,
    .lookahead_dest_o,
    .lookahead_other_o,
    .lookahead_other_vc_o,
    .lookahead_other_dest_o,
    .credit_i              (in_credit_i),
    .credit_vc_i           (in_credit_vc_i),
    .framing_error_o,
    .sending_o             (injecting),
    .active_o              (injects)
  );

  if (xt_pkg::HasLinkLayer != 0) begin : g_poison
    assign in_cell_o = {cut_short, injected};
    assign poison    = out_cell_i[StoredBits-1];
  end else begin : g_no_poison
    assign in_cell_o = injected;
    assign poison    = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused_cut = cut_short;
    // verilator lint_on UNUSEDSIGNAL
  end

  xt_nic_eject i_eject (
    .clk_i,
    .rst_ni,
    .valid_i    (out_valid_i),
    .cell_i     (out_cell_i[xt_pkg::CellBits-1:0]),
    .poison_i   (poison),
    .credit_o   (out_credit_o),
    .tvalid_o,
    .tready_i,
    .tdata_o,
    .tlast_o,
    .tuser_o,
    .delivered_o(delivered),
    .poisoned_o,
    .header_o,
    .stamp_o    (stamped),
    .active_o   (ejects)
  );

  if (xt_pkg::HasLatency != 0) begin : g_histogram
    xt_latency_histogram i_histogram (
      .clk_i,
      .rst_ni,
      .enable_i    (stamp_i),
      .clear_i     (clear_latency_i),
      .now_i       (time_i),
      .delivered_i (delivered),
      .stamp_i     (stamped),
      .read_bin_i  (latency_bin_i),
      .read_count_o(latency_count_o),
      .active_o    (histogram_active_o)
    );
  end else begin : g_no_histogram
    assign latency_count_o    = '0;
    assign histogram_active_o = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{clear_latency_i, delivered, stamped, latency_bin_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  assign sending_o = injecting | ejects;
  assign active_o  = stores | injects | ejects;

endmodule

`default_nettype wire
