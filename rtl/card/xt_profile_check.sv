// SPDX-License-Identifier: Apache-2.0
//
// Refuses, at elaboration, a package of numbers from which no card can be made: the checks of host/params/table_check.c
// on what came of the table. A module that does not exist names the reason. No logic.
`default_nettype none

module xt_profile_check;

  // A credit comes back this many cycles late.
  localparam int Margin = 5;
  localparam int LeastRoom = (1 + xt_pkg::Bubble) * xt_pkg::PacketCells + Margin;

  function automatic logic power_of_two(input int number);
    power_of_two = number > 0 && (number & (number - 1)) == 0;
  endfunction

  // The length classes rise; the last one of packets is the longest packet, the one behind it two of them.
  function automatic logic classes_rise();
    int shorter;
    classes_rise = xt_pkg::LengthClasses == xt_pkg::PacketClasses + xt_pkg::Bubble;
    shorter      = 0;
    for (int c = 0; c < xt_pkg::LengthClasses; c++) begin
      if (32'(xt_pkg::LengthClass[c*8+:8]) <= shorter) classes_rise = 1'b0;
      shorter = 32'(xt_pkg::LengthClass[c*8+:8]);
      if (c == xt_pkg::PacketClasses - 1 && shorter != xt_pkg::PacketCells) classes_rise = 1'b0;
      if (c == xt_pkg::PacketClasses && shorter != 2 * xt_pkg::PacketCells) classes_rise = 1'b0;
    end
  endfunction

  // Each traffic class has its VCs in a row, adaptive ones behind deterministic ones.
  function automatic logic vcs_in_order();
    int   first;
    logic adaptive;
    vcs_in_order = 1'b1;
    first        = 0;
    for (int t = 0; t < xt_pkg::Tcs; t++) begin
      adaptive = 1'b0;
      if (32'(xt_pkg::TcFirstVc[t*8+:8]) != first || xt_pkg::TcVcCount[t*8+:8] == 0 || xt_pkg::TcVcCount[t*8+:8] > 4)
        vcs_in_order = 1'b0;
      for (int v = 0; v < xt_pkg::Vcs; v++) begin
        if (v >= first && v < first + 32'(xt_pkg::TcVcCount[t*8+:8])) begin
          if (32'(xt_pkg::VcTc[v*8+:8]) != t) vcs_in_order = 1'b0;
          if (v == first && xt_pkg::VcAdaptive[v]) vcs_in_order = 1'b0;
          if (!xt_pkg::VcAdaptive[v] && adaptive) vcs_in_order = 1'b0;
          adaptive = xt_pkg::VcAdaptive[v];
        end
      end
      first = first + 32'(xt_pkg::TcVcCount[t*8+:8]);
    end
    if (first != xt_pkg::Vcs) vcs_in_order = 1'b0;
  endfunction

  if (xt_pkg::LinkPorts < 1 || xt_pkg::LinkPorts > 6 || xt_pkg::NicPorts < 1 || xt_pkg::Ports > 15
      || xt_pkg::Ports != xt_pkg::LinkPorts + xt_pkg::NicPorts || xt_pkg::PortBits != $clog2(xt_pkg::Ports)) begin : g_ports
    xt_profile_has_1_to_6_link_ports_and_15_ports_at_most i_illegal ();
  end
  if (xt_pkg::Tcs < 1 || xt_pkg::Tcs > 4 || xt_pkg::Vcs < 1 || xt_pkg::Vcs > 16 || !vcs_in_order()) begin : g_vcs
    xt_profile_has_1_to_4_traffic_classes_of_1_to_4_vcs_the_first_deterministic i_illegal ();
  end
  if (xt_pkg::CellBits < 8 || xt_pkg::CellBits > 1024 || xt_pkg::CellBits % 8 != 0) begin : g_cell
    xt_profile_cell_bits_are_a_multiple_of_8_up_to_1024 i_illegal ();
  end
  if (xt_pkg::HdrTagBits < 1 || 2 * xt_pkg::IdBits + xt_pkg::LenBits + xt_pkg::TcBits + 1 > xt_pkg::CellBits) begin : g_header
    xt_profile_header_does_not_fit_the_cell i_illegal ();
  end
  if (xt_pkg::PacketCells < 2 || xt_pkg::PacketCells > ((xt_pkg::Bubble != 0) ? 64 : 128) || !power_of_two(xt_pkg::PacketCells)
      || xt_pkg::LenBits != $clog2(xt_pkg::PacketCells)) begin : g_packet
    xt_profile_packet_cells_must_be_a_power_of_two i_illegal ();
  end
  if (!classes_rise()) begin : g_classes
    xt_profile_length_classes_rise_to_the_longest_packet i_illegal ();
  end
  if (!power_of_two(xt_pkg::BufferCells) || xt_pkg::BufferCells > 32768) begin : g_buffer
    xt_profile_buffer_cells_must_be_a_power_of_two i_illegal ();
  end
  if (xt_pkg::ReservedCells < LeastRoom || xt_pkg::ReservedCells > xt_pkg::BufferCells / xt_pkg::Vcs) begin : g_reserved
    xt_profile_reserved_cells_hold_a_packet_and_the_margin_for_each_vc i_illegal ();
  end
  if (!power_of_two(xt_pkg::EjectCells) || xt_pkg::EjectCells < LeastRoom
      || xt_pkg::EjectCells > xt_pkg::BufferCells) begin : g_eject
    xt_profile_eject_cells_must_be_a_power_of_two_from_a_packet_and_the_margin_to_the_buffer i_illegal ();
  end
  if (xt_pkg::GrtBits < 1 || xt_pkg::GrtBits > 11 || xt_pkg::LrtBits < xt_pkg::GrtBits + xt_pkg::BlockRamOnly
      || xt_pkg::LrtBits > 12 || xt_pkg::IdBits != xt_pkg::GrtBits + xt_pkg::LrtBits) begin : g_addresses
    xt_profile_grt_is_not_larger_than_the_lrt_and_both_make_the_address i_illegal ();
  end
  if (xt_pkg::IslipIterations < 1 || xt_pkg::IslipIterations > xt_pkg::Ports) begin : g_islip
    xt_profile_islip_has_1_to_Ports_iterations i_illegal ();
  end
  if (xt_pkg::BlockRamOnly != 0 && (xt_pkg::HasLinkLayer != 0 || xt_pkg::TableEcc != 0)) begin : g_block_ram
    xt_profile_block_ram_only_has_no_link_layer_and_no_table_code i_illegal ();
  end
  if (xt_pkg::ReplayCells != 0 && (!power_of_two(xt_pkg::ReplayCells) || xt_pkg::ReplayCells > 32768
      || xt_pkg::ReplayCells < 2 * xt_pkg::PacketCells + 16 + 2 * xt_pkg::LinkLatency)) begin : g_replay
    xt_profile_replay_cells_must_be_a_power_of_two_for_two_packets_and_the_way i_illegal ();
  end
  if (xt_pkg::HasLinkLayer != 0 && xt_pkg::FrameBits > 270 + 32) begin : g_frame
    xt_profile_frame_is_longer_than_its_check_word_protects i_illegal ();
  end
  if (xt_pkg::LinkLatency < 1 || xt_pkg::LinkLatency > 1024) begin : g_latency
    xt_profile_link_takes_1_to_1024_cycles i_illegal ();
  end

endmodule

`default_nettype wire
