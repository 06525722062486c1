// SPDX-License-Identifier: Apache-2.0
//
// Access to the registers of all ports: finds the port and its register, writes it, and joins the ports' words.
//
// Latency: a setting shows 2 cycles after the write's address. A read takes three steps with a register after each: the
// request to the port, the port's word, the join of all ports.
// Speed: the join of all ports. A port's word is chosen in parallel, by the decoded address of the cycle before.
`default_nettype none

module xt_port_access #(
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1)
) (
  /// Clock.
  input  logic                                           clk_i,
  /// Reset, active low, synchronous.
  input  logic                                           rst_ni,

  /// The address to come.
  input  logic [             xt_pkg::RegAddressBits-1:0] address_next_i,
  /// Port in the address.
  input  logic [                                    3:0] port_i,
  /// Number of the register there, the bits that tell a VC or a TC.
  input  logic [                                    3:0] offset_i,
  /// A write is carried out in this cycle.
  input  logic                                           write_i,
  /// Data to write.
  input  logic [                                   11:0] wdata_i,
  /// A read goes on.
  input  logic                                           read_i,
  /// In the last cycle of a read: the register, if it is one of these; zero otherwise.
  output logic [                                   15:0] value_o,
  /// The register is one of these.
  output logic                                           hit_o,
  /// It can be written.
  output logic                                           writable_o,
  /// The register is a counter, which is not here.
  output logic                                           is_counter_o,

  /// Weight of each TC at each output: 4 bits at (port*Tcs + TC)*4.
  output logic [        xt_pkg::Ports*xt_pkg::Tcs*4-1:0] weight_o,
  /// Ring of each link output, 12 bits each: FROM, VCS, FROM_VCS.
  output logic [               xt_pkg::LinkPorts*12-1:0] ring_o,
  /// Ports from which the rings of VC 1 to 3 of each link output come: 4 bits at output*12 + (VC - 1)*4.
  output logic [               xt_pkg::LinkPorts*12-1:0] vc_ring_from_o,
  /// Link ports whose packets enter the ring of each link output from the next clock edge on: bit output*LinkPorts + port.
  output logic [xt_pkg::LinkPorts*xt_pkg::LinkPorts-1:0] entrants_next_o,

  /// Errors of each port: bit 0 illegal route, 1 timeout, 2 poison, 3 table.
  input  logic [                    xt_pkg::Ports*4-1:0] error_event_i,
  /// A counter passed 2^32, per port.
  input  logic [                      xt_pkg::Ports-1:0] wrapped_i,
  /// Fewest free cells that each input buffer has had.
  input  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] least_free_i,
  /// Free cells, per port.
  input  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] free_i,
  /// State of each link.
  input  logic [                xt_pkg::LinkPorts*2-1:0] link_state_i,
  /// Cause of DOWN.
  input  logic [                xt_pkg::LinkPorts*3-1:0] link_cause_i,
  /// Per link port: VC for a read of that port's credits.
  output logic [   xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] read_vc_o,
  /// Credits used of that VC, per port.
  input  logic [            xt_pkg::Ports*CountBits-1:0] used_i
);

  localparam int FreeBits = xt_pkg::CellAddrBits + 1;
  // The counters per traffic class are RX_PACKETS to STALLS_GRANT, or without monitors to TX_CELLS.
  localparam logic [3:0] LastOfTcs = (xt_pkg::HasMonitors != 0) ? xt_pkg::RegStallsGrant[7:4]
                                                                : xt_pkg::RegTxCells[7:4];

  // ---------------------------------------------------------------- address decoding
  logic [3:0] port;
  logic [5:0] offset;
  logic       in_ports, in_links, in_tcs, zero;
  logic       is_free, is_high_water, is_flags, is_used, is_state, is_weight, is_ring, is_vc_ring_from, is_entrants;
  logic       is_zero;

  assign port     = address_next_i[11:8];
  assign offset   = address_next_i[7:2];
  assign in_ports = address_next_i[1:0] == 2'b00 && address_next_i[15:12] == xt_pkg::RegFreeCells[15:12]
                 && 32'(port) < xt_pkg::Ports;
  assign in_links = in_ports && 32'(port) < xt_pkg::LinkPorts;
  assign in_tcs   = 32'(offset[1:0]) < xt_pkg::Tcs;

  // Packets do not break at link ports, are not dropped at NIC ports, and not poisoned on plain links.
  assign zero = (in_links && offset == xt_pkg::RegFramingErrors[7:2])
             || (in_ports && !in_links && offset == xt_pkg::RegDropped[7:2])
             || (in_ports && xt_pkg::HasLinkLayer == 0 && offset == xt_pkg::RegPoisoned[7:2]);

  always_ff @(posedge clk_i) begin
    is_free       <= in_ports && offset == xt_pkg::RegFreeCells[7:2];
    is_high_water <= in_ports && xt_pkg::HasMonitors != 0 && offset == xt_pkg::RegHighWater[7:2];
    is_flags      <= in_ports && offset == xt_pkg::RegErrorFlags[7:2];
    is_used       <= in_ports && offset[5:4] == xt_pkg::RegCreditsUsed[7:6] && 32'(offset[3:0]) < xt_pkg::Vcs;
    is_state      <= in_links && xt_pkg::HasLinkLayer != 0 && offset == xt_pkg::RegLinkState[7:2];
    is_weight     <= in_ports && xt_pkg::HasQos != 0 && in_tcs && offset[5:2] == xt_pkg::RegTcWeight[7:4];
    is_ring       <= in_links && xt_pkg::HasBubble != 0 && offset == xt_pkg::RegRing[7:2];
    is_vc_ring_from <= in_links && xt_pkg::HasVcRings != 0 && offset == xt_pkg::RegVcRingFrom[7:2];
    is_entrants   <= in_links && offset == xt_pkg::RegEntrants[7:2];
    is_zero       <= zero;
    // Those per TC, and the single ones.
    is_counter_o  <= !zero
                  && ((in_ports && in_tcs && offset[5:2] >= xt_pkg::RegRxPackets[7:4]
                       && offset[5:2] <= LastOfTcs)
                      || (in_ports && (offset == xt_pkg::RegIllegalRoutes[7:2]
                                       || offset == xt_pkg::RegFramingErrors[7:2]
                                       || offset == xt_pkg::RegPoisoned[7:2]
                                       || offset == xt_pkg::RegDropped[7:2]))
                      || (in_links && xt_pkg::HasLinkLayer != 0 && offset >= xt_pkg::RegCrcErrors[7:2]
                          && offset <= xt_pkg::RegRetrains[7:2]));
  end

  assign writable_o = is_flags | is_weight | is_ring | is_vc_ring_from | is_entrants;
  assign hit_o      = writable_o | is_free | is_high_water | is_used | is_state | is_zero | is_counter_o;

  // ---------------------------------------------------------------- requests
  // Each port has its own VC register, so that the register can stand halfway to the port's credits. Zero at the other
  // ports keeps synthesis from merging these registers.
  logic [xt_pkg::Ports-1:0] port_read_q;
  logic [              8:0] port_select_q;
  logic [              1:0] port_tc_q;

  always_ff @(posedge clk_i) begin
    for (int p = 0; p < xt_pkg::Ports; p++) port_read_q[p] <= read_i && port_i == p[3:0];
    for (int p = 0; p < xt_pkg::LinkPorts; p++)
      read_vc_o[p*xt_pkg::VcBits+:xt_pkg::VcBits] <= (port_i == p[3:0]) ? offset_i[xt_pkg::VcBits-1:0] : '0;
    port_select_q <= {is_vc_ring_from, is_entrants, is_ring, is_weight, is_state, is_flags, is_used, is_high_water,
                      is_free};
    port_tc_q     <= offset_i[1:0];
  end

  // ---------------------------------------------------------------- the ports' words
  logic [xt_pkg::Ports*16-1:0] port_word;

  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_port
    logic [        CountBits-1:0] used;
    logic [                  1:0] link_state;
    logic [                  2:0] link_cause;
    logic [                 11:0] ring, vc_ring_from;
    logic [xt_pkg::LinkPorts-1:0] entrants;
    logic                         write;

    assign write = write_i && port_i == p[3:0];

    if (p < xt_pkg::LinkPorts) begin : g_link
      assign used             = used_i[p*CountBits+:CountBits];
      assign link_state       = link_state_i[p*2+:2];
      assign link_cause       = link_cause_i[p*3+:3];
      assign ring_o[p*12+:12] = ring;
      assign vc_ring_from_o[p*12+:12] = vc_ring_from;
      assign entrants_next_o[p*xt_pkg::LinkPorts+:xt_pkg::LinkPorts] = entrants;
    end else begin : g_nic
      // One pool for all VCs: VC 0 reports the pool.
      assign used       = (offset_i == '0) ? used_i[p*CountBits+:CountBits] : '0;
      assign link_state = '0;
      assign link_cause = '0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = ring != '0 || vc_ring_from != '0 || entrants != '0;
      // verilator lint_on UNUSEDSIGNAL
    end

    xt_port_registers #(
      .IsLink(p < xt_pkg::LinkPorts)
    ) i_port_registers (
      .clk_i,
      .rst_ni,
      .write_weight_i(write & is_weight),
      .write_tc_i    (offset_i[1:0]),
      .write_ring_i  (write & is_ring),
      .write_vc_ring_from_i(write & is_vc_ring_from),
      .write_entrants_i(write & is_entrants),
      .clear_flags_i (write & is_flags),
      .wdata_i,
      .weight_o      (weight_o[p*xt_pkg::Tcs*4+:xt_pkg::Tcs*4]),
      .ring_o        (ring),
      .vc_ring_from_o(vc_ring_from),
      .entrants_next_o(entrants),
      .error_event_i (error_event_i[p*4+:4]),
      .wrapped_i     (wrapped_i[p]),
      .free_i        (free_i[p*FreeBits+:FreeBits]),
      .least_free_i  (least_free_i[p*FreeBits+:FreeBits]),
      .used_i        (used),
      .link_state_i  (link_state),
      .link_cause_i  (link_cause),
      .read_i        (port_read_q[p]),
      .select_i      (port_select_q),
      .read_tc_i     (port_tc_q),
      .word_o        (port_word[p*16+:16])
    );
  end

  // ---------------------------------------------------------------- the join
  logic [15:0] joined, joined_q;

  always_comb begin
    joined = '0;
    for (int p = 0; p < xt_pkg::Ports; p++) joined = joined | port_word[p*16+:16];
  end

  always_ff @(posedge clk_i) if (read_i) joined_q <= joined;

  // Held cells: all cells of the buffer less the free ones.
  assign value_o = port_select_q[1] ? 16'(xt_pkg::BufferCells) - joined_q : joined_q;

endmodule

`default_nettype wire
