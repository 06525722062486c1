// SPDX-License-Identifier: Apache-2.0
//
// Registers that every card has once: what the card is, its address and order of routing, who may start packets, and
// words that software keeps here for other software.
//
// Latency: a setting shows 2 cycles after the write's address. value_o belongs to the address of the cycle before.
// Speed: the choice of one register; the address is decoded as it comes, into registers.
`default_nettype none

module xt_card_settings (
  /// Clock.
  input  logic                                  clk_i,
  /// Reset, active low, synchronous.
  input  logic                                  rst_ni,

  /// The address to come is one of the registers that exist once.
  input  logic                                  single_i,
  /// Number of the register there.
  input  logic [                           5:0] offset_i,
  /// A write is carried out in this cycle.
  input  logic                                  write_i,
  /// Data to write.
  input  logic [                          31:0] wdata_i,
  /// The register, if it is one of these; zero otherwise.
  output logic [                          31:0] value_o,
  /// The register is one of these.
  output logic                                  hit_o,
  /// It can be written.
  output logic                                  writable_o,

  /// Tables and free lists are initialised.
  input  logic                                  ready_i,
  /// No cell is in the card.
  input  logic                                  idle_i,
  /// Ports drained in both directions.
  input  logic [             xt_pkg::Ports-1:0] port_idle_i,

  /// The card's own address.
  output logic [            xt_pkg::IdBits-1:0] own_o,
  /// Per TC: 1 = local first.
  output logic [               xt_pkg::Tcs-1:0] order_o,
  /// Per TC: address bits to compare.
  output logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_o,
  /// Ports that start no new packet.
  output logic [             xt_pkg::Ports-1:0] quiesce_o,
  /// Injection: cycles for which packets from a NIC give way.
  output logic [                          15:0] inject_wait_o,
  /// Injection: shared cells below which such packets do not start.
  output logic [                          15:0] inject_room_o,
  /// NICs stamp packets, histograms count.
  output logic                                  stamp_o,
  /// CLEAR is written.
  output logic                                  clear_o,
  /// Clear the histograms; a pulse.
  output logic                                  clear_latency_o
);

  logic is_magic, is_version, is_hash, is_shape, is_features, is_status, is_id, is_order, is_quiesce, is_injection;
  logic is_idle, is_owner, is_load, is_clear, is_control;
  logic [xt_pkg::Tcs-1:0] is_mask;
  // What software keeps here for other software. The card does not use these words.
  logic [31:0] owner_q, load_q, masks;

  always_ff @(posedge clk_i) begin
    is_magic     <= single_i && offset_i == xt_pkg::RegMagic[7:2];
    is_version   <= single_i && offset_i == xt_pkg::RegVersion[7:2];
    is_hash      <= single_i && offset_i == xt_pkg::RegProfileHash[7:2];
    is_shape     <= single_i && offset_i == xt_pkg::RegShape[7:2];
    is_features  <= single_i && offset_i == xt_pkg::RegFeatures[7:2];
    is_status    <= single_i && offset_i == xt_pkg::RegStatus[7:2];
    is_id        <= single_i && offset_i == xt_pkg::RegCardId[7:2];
    is_order     <= single_i && offset_i == xt_pkg::RegRouteOrder[7:2];
    is_quiesce   <= single_i && offset_i == xt_pkg::RegQuiesce[7:2];
    is_injection <= single_i && offset_i == xt_pkg::RegInjection[7:2];
    is_owner     <= single_i && offset_i == xt_pkg::RegOwner[7:2];
    is_load      <= single_i && offset_i == xt_pkg::RegLoad[7:2];
    is_idle      <= single_i && offset_i == xt_pkg::RegPortIdle[7:2];
    is_clear     <= single_i && offset_i == xt_pkg::RegClear[7:2];
    is_control   <= single_i && xt_pkg::HasLatency != 0 && offset_i == xt_pkg::RegLatencyControl[7:2];
    for (int t = 0; t < xt_pkg::Tcs; t++) is_mask[t] <= single_i && offset_i == xt_pkg::RegMatchMask[7:2] + 6'(t);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      own_o           <= '0;
      order_o         <= '0;
      mask_o          <= '1;
      quiesce_o       <= '0;
      inject_wait_o   <= '0;
      inject_room_o   <= '0;
      owner_q         <= '0;
      load_q          <= '0;
      clear_latency_o <= 1'b0;
    end else begin
      if (write_i && is_id) own_o <= wdata_i[xt_pkg::IdBits-1:0];
      if (write_i && is_order) order_o <= wdata_i[xt_pkg::Tcs-1:0];
      for (int t = 0; t < xt_pkg::Tcs; t++) begin
        if (write_i && is_mask[t]) mask_o[t*xt_pkg::IdBits+:xt_pkg::IdBits] <= wdata_i[xt_pkg::IdBits-1:0];
      end
      if (write_i && is_quiesce) quiesce_o <= wdata_i[xt_pkg::Ports-1:0];
      if (write_i && is_injection) {inject_room_o, inject_wait_o} <= wdata_i;
      if (write_i && is_owner) owner_q <= wdata_i;
      if (write_i && is_load) load_q <= wdata_i;
      clear_latency_o <= clear_o & wdata_i[1];
    end
  end
  assign clear_o = write_i & is_clear;

  if (xt_pkg::HasLatency != 0) begin : g_latency
    always_ff @(posedge clk_i) begin
      if (!rst_ni) stamp_o <= 1'b0;
      else if (write_i && is_control) stamp_o <= wdata_i[0];
    end
  end else begin : g_no_latency
    assign stamp_o = 1'b0;
  end

  always_comb begin
    masks = '0;
    for (int t = 0; t < xt_pkg::Tcs; t++) begin
      if (is_mask[t]) masks = masks | 32'(mask_o[t*xt_pkg::IdBits+:xt_pkg::IdBits]);
    end
  end

  // CLEAR reads 0.
  assign value_o =
      (is_magic ? xt_pkg::RegMagicValue : '0) | (is_version ? xt_pkg::RegMapVersion : '0)
    | (is_hash ? xt_pkg::ProfileHash : '0) | (is_features ? xt_pkg::Features : '0)
    | (is_shape ? {8'(xt_pkg::Vcs), 8'(xt_pkg::Tcs), 8'(xt_pkg::NicPorts), 8'(xt_pkg::LinkPorts)} : '0)
    | (is_status ? {30'b0, idle_i, ready_i} : '0) | (is_id ? 32'(own_o) : '0)
    | (is_order ? 32'(order_o) : '0) | masks | (is_quiesce ? 32'(quiesce_o) : '0)
    | (is_injection ? {inject_room_o, inject_wait_o} : '0) | (is_owner ? owner_q : '0) | (is_load ? load_q : '0)
    | (is_idle ? 32'(port_idle_i) : '0) | (is_control ? 32'(stamp_o) : '0);
  assign writable_o = is_id | is_order | (is_mask != '0) | is_quiesce | is_injection | is_owner | is_load | is_clear
                    | is_control;
  assign hit_o      = writable_o | is_magic | is_version | is_hash | is_features | is_shape | is_status | is_idle;

endmodule

`default_nettype wire
