// SPDX-License-Identifier: Apache-2.0
//
// Registers of a card behind AXI4-Lite: identity, settings, table windows, errors, and the read-out of
// counters and credits. The map is generated from host/include/extorus/registers.h into xt_pkg. Registers of a feature
// that the profile lacks do not exist.
//
// xt_register_bus has the handshakes: one access at a time, whole words, reads and writes in turns. Each group of registers
// is a module of its own, which decodes the address for itself. This module joins their answers. An address without a
// register answers SLVERR, as does a write to a read-only register.
//
// Only with BlockRamOnly may one access wait for the traffic of a link: a link port's table is read in a cycle in which
// no cell comes in there, and the response waits for this cycle.
//
// Latency: the response comes 2 cycles after a write's address and data, and 5 cycles after a
// read's address. A table entry takes 6 cycles, 8 with a code. A counter takes the time of xt_port_counters.
// Speed: the join of the groups. Each decodes the address as it comes, into registers beside the address register, so the
// meaning is ready in the first cycle of an access.
`default_nettype none

module xt_registers #(
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1),
  /// Bits of the number of a bin.
  localparam int BinBits = $clog2(xt_pkg::LatencyBins)
) (
  /// Clock.
  input  logic                               clk_i,
  /// Reset, active low, synchronous.
  input  logic                               rst_ni,

  /// AXI4-Lite write address.
  input  logic                               awvalid_i,
  /// AXI4-Lite write address.
  output logic                               awready_o,
  /// AXI4-Lite write address.
  input  logic [xt_pkg::RegAddressBits-1:0]  awaddr_i,
  /// AXI4-Lite write data.
  input  logic                               wvalid_i,
  /// AXI4-Lite write data.
  output logic                               wready_o,
  /// AXI4-Lite write data.
  input  logic [                       31:0] wdata_i,
  /// AXI4-Lite write data.
  input  logic [                        3:0] wstrb_i,
  /// AXI4-Lite write response.
  output logic                               bvalid_o,
  /// AXI4-Lite write response.
  input  logic                               bready_i,
  /// AXI4-Lite write response.
  output logic [                        1:0] bresp_o,
  /// AXI4-Lite read address.
  input  logic                               arvalid_i,
  /// AXI4-Lite read address.
  output logic                               arready_o,
  /// AXI4-Lite read address.
  input  logic [xt_pkg::RegAddressBits-1:0]  araddr_i,
  /// AXI4-Lite read data.
  output logic                               rvalid_o,
  /// AXI4-Lite read data.
  input  logic                               rready_i,
  /// AXI4-Lite read data.
  output logic [                       31:0] rdata_o,
  /// AXI4-Lite read data.
  output logic [                        1:0] rresp_o,

  /// Tables and free lists are initialised.
  input  logic ready_i,
  /// Before: entry of the tables to clear.
  input  logic [15:0] init_addr_i,
  /// No cell is in the card.
  input  logic idle_i,

  /// The card's own address.
  output logic [xt_pkg::IdBits-1:0] own_o,
  /// Per TC: 1 = local first.
  output logic [xt_pkg::Tcs-1:0] order_o,
  /// Per TC: address bits to compare.
  output logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_o,

  /// How an adaptive candidate is chosen.
  output logic [1:0] adaptive_select_o,
  /// Used credits below which an adaptive VC is preferred.
  output logic [15:0] adaptive_low_o,
  /// Used credits from which on an adaptive VC is not chosen.
  output logic [15:0] adaptive_high_o,
  /// Internal link ports.
  output logic [xt_pkg::LinkPorts-1:0] adaptive_internal_o,
  /// Link ports of the middle dimension.
  output logic [xt_pkg::LinkPorts-1:0] adaptive_middle_o,
  /// Cycles for which a packet waits for an adaptive VC.
  output logic [15:0] adaptive_patience_o,

  /// Ports that start no new packet.
  output logic [xt_pkg::Ports-1:0] quiesce_o,
  /// Injection: cycles for which packets from a NIC give way.
  output logic [15:0] inject_wait_o,
  /// Injection: shared cells below which such packets do not start.
  output logic [15:0] inject_room_o,

  /// Links held down.
  output logic [xt_pkg::LinkPorts-1:0] link_disable_o,
  /// Retrain these links; a pulse.
  output logic [xt_pkg::LinkPorts-1:0] link_retrain_o,
  /// Cycles without an acknowledgement until the replay.
  output logic [15:0] link_timeout_o,
  /// Repetitions without success after which a link is down.
  output logic [7:0] link_retry_limit_o,
  /// The setting before is not 0.
  output logic link_retries_o,
  /// Cycles after which an idle link sends a frame; 0: never.
  output logic [15:0] link_keepalive_o,
  /// The setting before is not 0.
  output logic link_keeps_alive_o,

  /// Cycles for which an input may serve nothing; 0: for ever.
  output logic [15:0] stall_timeout_o,
  /// Weight of each TC at each output: 4 bits at (port*Tcs + TC)*4.
  output logic [xt_pkg::Ports*xt_pkg::Tcs*4-1:0] weight_o,
  /// Ring of each link output, 12 bits each: FROM, VCS, FROM_VCS.
  output logic [xt_pkg::LinkPorts*12-1:0] ring_o,
  /// Ports from which the rings of VC 1 to 3 of each link output come: 4 bits at output*12 + (VC - 1)*4.
  output logic [xt_pkg::LinkPorts*12-1:0] vc_ring_from_o,
  /// Link ports whose packets enter the ring of each link output from the next clock edge on: bit output*LinkPorts + port.
  output logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_next_o,
  /// NICs stamp packets, histograms count.
  output logic stamp_o,
  /// Begin the high-water marks anew; a pulse.
  output logic clear_high_water_o,
  /// Clear the histograms; a pulse.
  output logic clear_latency_o,

  /// Ports drained in both directions.
  input  logic [xt_pkg::Ports-1:0] port_idle_i,
  /// Fewest free cells that each input buffer has had.
  input  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] least_free_i,
  /// State of each link.
  input  logic [xt_pkg::LinkPorts*2-1:0] link_state_i,
  /// Cause of DOWN.
  input  logic [xt_pkg::LinkPorts*3-1:0] link_cause_i,

  /// Errors of each port: bit 0 illegal route, 1 timeout, 2 poison, 3 table.
  input  logic [xt_pkg::Ports*4-1:0] error_event_i,
  /// Last header received at each port, low bits.
  input  logic [xt_pkg::Ports*64-1:0] error_header_i,
  /// Low bits of the header of the packet under delivery at each NIC port.
  input  logic [xt_pkg::NicPorts*64-1:0] delivered_header_i,

  /// Write a word of the GRT, per input port.
  output logic [xt_pkg::Ports-1:0] grt_we_o,
  /// Write a word of the LRT, per input port.
  output logic [xt_pkg::Ports-1:0] lrt_we_o,
  /// Entry to write or read. A register drives the entry, also before ready_i, because the wires cross the card.
  output logic [xt_pkg::TableAddrBits-1:0] index_o,
  /// Word to write; zero, which is a word without a route, before ready_i.
  output logic [xt_pkg::EntryStoredBits-1:0] wentry_o,
  /// Read that entry of a table of this port as soon as you can.
  output logic [xt_pkg::Ports-1:0] table_read_o,
  /// The entry is one of the GRT.
  output logic table_read_grt_o,
  /// With BlockRamOnly: a table reads the entry in this cycle.
  input  logic table_grant_i,
  /// The entry, two cycles after the read.
  input  logic [xt_pkg::EntryStoredBits-1:0] table_rdata_i,

  /// Per link port: VC for a read of that port's credits.
  output logic [xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] read_vc_o,
  /// Credits used of that VC, per port.
  input  logic [xt_pkg::Ports*CountBits-1:0] used_i,
  /// Free cells, per port.
  input  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] free_i,

  /// Ask for a counter.
  output logic counter_read_o,
  /// Port of the counter.
  output logic [xt_pkg::PortBits-1:0] counter_port_o,
  /// Register of the counter: bits 7 to 2 of the address.
  output logic [5:0] counter_offset_o,
  /// The answer.
  input  logic counter_valid_i,
  /// The answer is still to come.
  input  logic counter_due_i,
  /// The counter's value.
  input  logic [31:0] counter_data_i,
  /// A counter passed 2^32, per port.
  input  logic [xt_pkg::Ports-1:0] counter_wrapped_i,

  /// Bin for a read of the histograms.
  output logic [BinBits-1:0] latency_bin_o,
  /// Packets in the bin, per NIC.
  input  logic [xt_pkg::NicPorts*32-1:0] latency_count_i,

  /// An access is going on.
  output logic active_o
);

  // A table word takes one more cycle than others for the wires, and with a code one to find a wrong bit and one to
  // correct the bit.
  localparam logic [2:0] TableCycles = (xt_pkg::TableEcc != 0) ? 3'd7 : 3'd5;

  if (xt_pkg::RegGrt != 16'h4000 || xt_pkg::RegLrt != 16'h8000 || xt_pkg::RegNicStride != 64
      || xt_pkg::RegPortStride != 256) begin : g_illegal
    xt_registers_takes_parts_of_an_address_for_numbers i_illegal ();
  end

  // ---------------------------------------------------------------- bus
  logic [xt_pkg::RegAddressBits-1:0] address_next;
  logic [                      11:2] address;
  logic                              write_next, write, ask, reading, aligned, single;
  logic [                       2:0] read;
  logic [                       5:0] offset_next;
  logic [                      31:0] rdata, value_q;
  logic                              is_counter, is_counter_q, hit_q;
  // Of each group: the register's value, whether it is one of the group, whether it can be written.
  logic [                      31:0] card_value, adaptive_value, link_value, monitor_value, table_value, latency;
  logic [                      15:0] port_value;
  logic                              card_hit, adaptive_hit, link_hit, monitor_hit, table_hit, port_hit, in_latency_q;
  logic                              card_writable, monitor_writable, table_writable, port_writable, table_waits;

  assign reading     = read != '0;
  assign offset_next = address_next[7:2];
  assign aligned     = address_next[1:0] == 2'b00;
  assign single      = aligned && address_next[15:8] == '0;

  xt_register_bus #(
    .TableCycles(TableCycles)
  ) i_bus (
    .clk_i, .rst_ni,
    .awvalid_i, .awready_o, .awaddr_i, .wvalid_i, .wready_o, .wstrb_i, .bvalid_o, .bready_i, .bresp_o,
    .arvalid_i, .arready_o, .araddr_i, .rvalid_o, .rready_i, .rdata_o, .rresp_o,
    .address_next_o (address_next),
    .address_o      (address),
    .write_next_o   (write_next),
    .write_o        (write),
    .ask_o          (ask),
    .read_o         (read),
    .writable_i     (card_writable | adaptive_hit | link_hit | monitor_writable | table_writable | port_writable),
    .table_waits_i  (table_waits),
    .hit_i          (hit_q),
    .is_counter_i   (is_counter_q),
    .counter_valid_i, .counter_due_i,
    .rdata_i        (rdata),
    .active_o
  );

  // ---------------------------------------------------------------- groups
  logic clear;

  xt_card_settings i_card_settings (
    .clk_i, .rst_ni,
    .single_i  (single),
    .offset_i  (offset_next),
    .write_i   (write),
    .wdata_i,
    .value_o   (card_value),
    .hit_o     (card_hit),
    .writable_o(card_writable),
    .ready_i, .idle_i, .port_idle_i, .own_o, .order_o, .mask_o, .quiesce_o, .inject_wait_o, .inject_room_o, .stamp_o,
    .clear_o   (clear),
    .clear_latency_o
  );

  xt_adaptive_settings i_adaptive_settings (
    .clk_i, .rst_ni,
    .single_i  (single),
    .offset_i  (offset_next),
    .write_i   (write),
    .wdata_i,
    .value_o   (adaptive_value),
    .hit_o     (adaptive_hit),
    .select_o  (adaptive_select_o),
    .low_o     (adaptive_low_o),
    .high_o    (adaptive_high_o),
    .internal_o(adaptive_internal_o),
    .middle_o  (adaptive_middle_o),
    .patience_o(adaptive_patience_o)
  );

  xt_link_settings i_link_settings (
    .clk_i, .rst_ni,
    .single_i     (single),
    .offset_i     (offset_next),
    .write_next_i (write_next),
    .write_i      (write),
    .wdata_i,
    .value_o      (link_value),
    .hit_o        (link_hit),
    .disable_o    (link_disable_o),
    .retrain_o    (link_retrain_o),
    .timeout_o    (link_timeout_o),
    .retry_limit_o(link_retry_limit_o),
    .retries_o    (link_retries_o),
    .keepalive_o  (link_keepalive_o),
    .keeps_alive_o(link_keeps_alive_o)
  );

  xt_monitor_registers i_monitor_registers (
    .clk_i, .rst_ni,
    .single_i  (single),
    .offset_i  (offset_next),
    .write_i   (write),
    .clear_i   (clear),
    .wdata_i   (wdata_i[15:0]),
    .value_o   (monitor_value),
    .hit_o     (monitor_hit),
    .writable_o(monitor_writable),
    .error_event_i, .error_header_i, .delivered_header_i, .stall_timeout_o, .clear_high_water_o
  );

  xt_table_registers #(
    .TableCycles(TableCycles)
  ) i_table_registers (
    .clk_i, .rst_ni, .ready_i, .init_addr_i,
    .single_i      (single),
    .offset_i      (offset_next),
    .address_next_i(address_next[15:2]),
    .aligned_i     (aligned),
    .high_i        (address[2]),
    .write_i       (write),
    .wdata_i,
    .read_i        (read),
    .waits_o       (table_waits),
    .value_o       (table_value),
    .hit_o         (table_hit),
    .writable_o    (table_writable),
    .grt_we_o, .lrt_we_o, .index_o, .wentry_o, .table_read_o, .table_read_grt_o, .table_grant_i, .table_rdata_i
  );

  xt_port_access i_port_access (
    .clk_i, .rst_ni,
    .address_next_i(address_next),
    .port_i        (address[11:8]),
    .offset_i      (address[5:2]),
    .write_i       (write),
    .wdata_i       (wdata_i[11:0]),
    .read_i        (reading),
    .value_o       (port_value),
    .hit_o         (port_hit),
    .writable_o    (port_writable),
    .is_counter_o  (is_counter),
    .wrapped_i     (counter_wrapped_i),
    .weight_o, .ring_o, .vc_ring_from_o, .entrants_next_o, .error_event_i, .least_free_i, .free_i, .link_state_i,
    .link_cause_i, .read_vc_o, .used_i
  );

  // ---------------------------------------------------------------- what is read far from here
  assign counter_read_o   = ask & is_counter;
  assign counter_port_o   = address[8+:xt_pkg::PortBits];
  assign counter_offset_o = address[7:2];
  assign latency_bin_o    = address[2+:BinBits];

  // As far from here as the NICs are, so that which of them is read is known before.
  logic [xt_pkg::NicPorts-1:0] latency_of_q;
  always_ff @(posedge clk_i) begin
    in_latency_q <= aligned && xt_pkg::HasLatency != 0 && address_next[15:12] == xt_pkg::RegLatency[15:12]
                 && 32'(address_next[11:6]) < xt_pkg::NicPorts;
    for (int n = 0; n < xt_pkg::NicPorts; n++) latency_of_q[n] <= in_latency_q && address[9:6] == n[3:0];
  end

  always_comb begin
    latency = '0;
    for (int n = 0; n < xt_pkg::NicPorts; n++) begin
      if (latency_of_q[n]) latency = latency | latency_count_i[n*32+:32];
    end
  end

  // ---------------------------------------------------------------- answer
  always_ff @(posedge clk_i) begin
    if (reading) begin
      value_q      <= card_value | adaptive_value | link_value | monitor_value | table_value | latency;
      hit_q        <= card_hit | adaptive_hit | link_hit | monitor_hit | table_hit | port_hit | in_latency_q;
      is_counter_q <= is_counter;
    end
  end
  assign rdata = value_q | 32'(port_value) | (is_counter_q ? counter_data_i : '0);

endmodule

`default_nettype wire
