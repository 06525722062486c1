// SPDX-License-Identifier: Apache-2.0
//
// Registers of a card behind AXI4-Lite: identity, routing registers, table windows, and the read-out of
// counters and credits. The map is generated from host/params/registers.h into xt_pkg.
//
// One access at a time; the response comes 2 cycles after a write's address and data, 5 cycles after a
// read's address. Only whole words can be written. An address
// where there is no register answers SLVERR, as does a write to a read-only one.
//
// Speed: decoding an address and choosing a word within a port; the ports are joined a cycle later.
`default_nettype none

module xt_registers #(
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1)
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
  input  logic                               ready_i,
  /// No cell is in the card.
  input  logic                               idle_i,

  /// The card's own address.
  output logic [         xt_pkg::IdBits-1:0] own_o,
  /// Per TC: 1 = local first.
  output logic [            xt_pkg::Tcs-1:0] order_o,
  /// Per TC: address bits to compare.
  output logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_o,

  /// Write an entry of the GRT, per input port.
  output logic [          xt_pkg::Ports-1:0] grt_we_o,
  /// Write an entry of the LRT, per input port.
  output logic [          xt_pkg::Ports-1:0] lrt_we_o,
  /// Entry to write or read.
  output logic [        xt_pkg::LrtBits-1:0] index_o,
  /// Value to write.
  output logic [      xt_pkg::EntryBits-1:0] wentry_o,
  /// GRT entry addressed in the previous cycle, per input port.
  input  logic [xt_pkg::Ports*xt_pkg::EntryBits-1:0] grt_rdata_i,
  /// LRT entry addressed in the previous cycle, per input port.
  input  logic [xt_pkg::Ports*xt_pkg::EntryBits-1:0] lrt_rdata_i,

  /// Traffic class whose counters are read.
  output logic [         xt_pkg::TcBits-1:0] read_tc_o,
  /// VC whose credits are read.
  output logic [         xt_pkg::VcBits-1:0] read_vc_o,
  /// Packets received, per port.
  input  logic [       xt_pkg::Ports*32-1:0] rx_packets_i,
  /// Cells received, per port.
  input  logic [       xt_pkg::Ports*32-1:0] rx_cells_i,
  /// Packets sent, per port.
  input  logic [       xt_pkg::Ports*32-1:0] tx_packets_i,
  /// Cells sent, per port.
  input  logic [       xt_pkg::Ports*32-1:0] tx_cells_i,
  /// Packets dropped, per port.
  input  logic [       xt_pkg::Ports*32-1:0] illegal_i,
  /// Framing errors, per NIC port.
  input  logic [    xt_pkg::NicPorts*32-1:0] framing_errors_i,
  /// Free cells, per port.
  input  logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] free_i,
  /// Credits used, per port.
  input  logic [xt_pkg::Ports*CountBits-1:0] used_i,

  /// An access is going on.
  output logic                               active_o
);

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlverr = 2'b10;
  // Cycles from the registered address to the registered data: table RAM, port multiplexer, result.
  localparam logic [2:0] ReadCycles = 3'd4;

  logic [xt_pkg::RegAddressBits-1:0] addr_q;
  logic [                      31:0] wdata_q;
  logic [                       3:0] wstrb_q;
  logic                              write_q;  // carry the registered write out
  logic [                       2:0] read_q;  // cycles left of a read
  logic                              busy;

  assign busy     = write_q | (read_q != '0) | bvalid_o | rvalid_o | awready_o | arready_o;
  assign active_o = busy | awvalid_i | wvalid_i | arvalid_i;

  // ---------------------------------------------------------------- address decoding
  logic [3:0]  port;
  logic [31:0] table_index;
  logic        in_ports, in_grt, in_lrt, aligned;

  assign port        = addr_q[11:8];
  assign aligned     = addr_q[1:0] == 2'b00;
  assign in_ports    = addr_q[15:12] == xt_pkg::RegFreeCells[15:12] && 32'(port) < xt_pkg::Ports;
  assign table_index = addr_q[15] ? (32'(addr_q) - 32'(xt_pkg::RegLrt)) >> 3
                                  : (32'(addr_q) - 32'(xt_pkg::RegGrt)) >> 3;
  assign in_lrt      = addr_q[15] && table_index < 32'd1 << xt_pkg::LrtBits;
  assign in_grt      = addr_q[15:14] == 2'b01 && table_index < 32'd1 << xt_pkg::GrtBits;
  assign index_o     = table_index[xt_pkg::LrtBits-1:0];
  assign read_tc_o   = addr_q[2+:xt_pkg::TcBits];
  assign read_vc_o   = addr_q[2+:xt_pkg::VcBits];

  // ---------------------------------------------------------------- writes
  logic [        xt_pkg::Ports-1:0] table_ports_q;
  logic [     xt_pkg::PortBits-1:0] table_read_port_q;
  logic [                     31:0] low_q;  // low word of the entry to come
  logic                             write_hit;
  // Of the 64 bits of its window an entry has 16 per traffic class.
  // verilator lint_off UNUSEDSIGNAL
  logic [                     63:0] wide_entry;
  // verilator lint_on UNUSEDSIGNAL

  assign wide_entry = {wdata_q, low_q};
  assign wentry_o   = wide_entry[xt_pkg::EntryBits-1:0];
  assign grt_we_o   = (write_q && write_hit && in_grt && addr_q[2]) ? table_ports_q : '0;
  assign lrt_we_o   = (write_q && write_hit && in_lrt && addr_q[2]) ? table_ports_q : '0;

  always_comb begin
    write_hit = 1'b0;
    if (aligned && wstrb_q == 4'b1111) begin
      if (in_grt || in_lrt) write_hit = 1'b1;
      if (addr_q == xt_pkg::RegCardId || addr_q == xt_pkg::RegRouteOrder
          || addr_q == xt_pkg::RegTablePorts || addr_q == xt_pkg::RegTableReadPort) write_hit = 1'b1;
      for (int t = 0; t < xt_pkg::Tcs; t++) begin
        if (addr_q == xt_pkg::RegMatchMask + 16'(t * xt_pkg::RegItemStride)) write_hit = 1'b1;
      end
      if (addr_q == xt_pkg::RegTableReadPort && wdata_q >= xt_pkg::Ports) write_hit = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      own_o             <= '0;
      order_o           <= '0;
      mask_o            <= '1;
      table_ports_q     <= '1;
      table_read_port_q <= '0;
      low_q             <= '0;
    end else if (write_q && write_hit) begin
      if (addr_q == xt_pkg::RegCardId) own_o <= wdata_q[xt_pkg::IdBits-1:0];
      if (addr_q == xt_pkg::RegRouteOrder) order_o <= wdata_q[xt_pkg::Tcs-1:0];
      if (addr_q == xt_pkg::RegTablePorts) table_ports_q <= wdata_q[xt_pkg::Ports-1:0];
      if (addr_q == xt_pkg::RegTableReadPort) table_read_port_q <= wdata_q[xt_pkg::PortBits-1:0];
      for (int t = 0; t < xt_pkg::Tcs; t++) begin
        if (addr_q == xt_pkg::RegMatchMask + 16'(t * xt_pkg::RegItemStride))
          mask_o[t*xt_pkg::IdBits+:xt_pkg::IdBits] <= wdata_q[xt_pkg::IdBits-1:0];
      end
      if ((in_grt || in_lrt) && !addr_q[2]) low_q <= wdata_q;
    end
  end

  // ---------------------------------------------------------------- reads
  logic [ 31:0] port_value_q, single_value, single_value_q;
  logic         port_hit, single_hit, single_hit_q;
  logic [ 63:0] entry;
  logic [ 31:0] entry_word_q;

  // Which register of a port is read, then each port's word, zero unless it is that port's, then the ports
  // joined: one register after each step.
  logic is_free, is_illegal, is_framing, is_counter, is_used;
  logic [3:0] is_count;  // received packets and cells, sent packets and cells
  logic [xt_pkg::Ports*32-1:0] port_word_q;

  assign is_free     = addr_q[7:0] == xt_pkg::RegFreeCells[7:0];
  assign is_illegal  = addr_q[7:0] == xt_pkg::RegIllegalRoutes[7:0];
  assign is_framing  = addr_q[7:0] == xt_pkg::RegFramingErrors[7:0];
  assign is_counter  = 32'(addr_q[3:2]) < xt_pkg::Tcs;
  assign is_count[0] = is_counter && addr_q[7:4] == xt_pkg::RegRxPackets[7:4];
  assign is_count[1] = is_counter && addr_q[7:4] == xt_pkg::RegRxCells[7:4];
  assign is_count[2] = is_counter && addr_q[7:4] == xt_pkg::RegTxPackets[7:4];
  assign is_count[3] = is_counter && addr_q[7:4] == xt_pkg::RegTxCells[7:4];
  assign is_used     = addr_q[7:6] == xt_pkg::RegCreditsUsed[7:6] && 32'(addr_q[5:2]) < xt_pkg::Vcs;
  assign port_hit    = in_ports && aligned
                    && (is_free || is_illegal || is_framing || is_count != '0 || is_used);

  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_port_word
    logic [31:0] framing, used, word;

    if (p < xt_pkg::LinkPorts) begin : g_link
      assign framing = '0;
      assign used    = 32'(used_i[p*CountBits+:CountBits]);
    end else begin : g_nic
      assign framing = framing_errors_i[(p-xt_pkg::LinkPorts)*32+:32];
      // One pool for all VCs: it is told as that of VC 0.
      assign used    = (addr_q[5:2] == '0) ? 32'(used_i[p*CountBits+:CountBits]) : '0;
    end
    assign word = (is_free ? 32'(free_i[p*(xt_pkg::CellAddrBits+1)+:xt_pkg::CellAddrBits+1]) : '0)
                | (is_illegal ? illegal_i[p*32+:32] : '0) | (is_framing ? framing : '0)
                | (is_count[0] ? rx_packets_i[p*32+:32] : '0) | (is_count[1] ? rx_cells_i[p*32+:32] : '0)
                | (is_count[2] ? tx_packets_i[p*32+:32] : '0) | (is_count[3] ? tx_cells_i[p*32+:32] : '0)
                | (is_used ? used : '0);
    always_ff @(posedge clk_i) begin
      if (read_q != '0) port_word_q[p*32+:32] <= (32'(port) == p) ? word : '0;
    end
  end

  always_comb begin
    single_hit   = aligned;
    single_value = '0;
    case (addr_q)
      xt_pkg::RegMagic: single_value = xt_pkg::RegMagicValue;
      xt_pkg::RegVersion: single_value = xt_pkg::RegMapVersion;
      xt_pkg::RegProfileHash: single_value = xt_pkg::ProfileHash;
      xt_pkg::RegShape:
      single_value = {8'(xt_pkg::Vcs), 8'(xt_pkg::Tcs), 8'(xt_pkg::NicPorts), 8'(xt_pkg::LinkPorts)};
      xt_pkg::RegFeatures: single_value = '0;
      xt_pkg::RegStatus: single_value = {30'b0, idle_i, ready_i};
      xt_pkg::RegCardId: single_value = 32'(own_o);
      xt_pkg::RegRouteOrder: single_value = 32'(order_o);
      xt_pkg::RegTablePorts: single_value = 32'(table_ports_q);
      xt_pkg::RegTableReadPort: single_value = 32'(table_read_port_q);
      default: begin
        single_hit = 1'b0;
        for (int t = 0; t < xt_pkg::Tcs; t++) begin
          if (addr_q == xt_pkg::RegMatchMask + 16'(t * xt_pkg::RegItemStride)) begin
            single_hit   = 1'b1;
            single_value = 32'(mask_o[t*xt_pkg::IdBits+:xt_pkg::IdBits]);
          end
        end
      end
    endcase
  end

  always_comb begin
    entry = '0;
    for (int p = 0; p < xt_pkg::Ports; p++) begin
      if (table_read_port_q == p[xt_pkg::PortBits-1:0]) begin
        if (in_lrt) entry = 64'(lrt_rdata_i[p*xt_pkg::EntryBits+:xt_pkg::EntryBits]);
        else entry = 64'(grt_rdata_i[p*xt_pkg::EntryBits+:xt_pkg::EntryBits]);
      end
    end
  end

  logic [31:0] joined;
  always_comb begin
    joined = '0;
    for (int p = 0; p < xt_pkg::Ports; p++) joined = joined | port_word_q[p*32+:32];
  end

  // ---------------------------------------------------------------- handshakes
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      awready_o <= 1'b0;
      wready_o  <= 1'b0;
      bvalid_o  <= 1'b0;
      arready_o <= 1'b0;
      rvalid_o  <= 1'b0;
      write_q   <= 1'b0;
      read_q    <= '0;
      bresp_o   <= RespOkay;
      rresp_o   <= RespOkay;
      rdata_o   <= '0;
      addr_q    <= '0;
      wdata_q   <= '0;
      wstrb_q   <= '0;
    end else begin
      awready_o <= 1'b0;
      wready_o  <= 1'b0;
      arready_o <= 1'b0;
      write_q   <= 1'b0;
      if (!busy) begin
        if (awvalid_i && wvalid_i) begin
          awready_o <= 1'b1;
          wready_o  <= 1'b1;
          addr_q    <= awaddr_i;
          wdata_q   <= wdata_i;
          wstrb_q   <= wstrb_i;
          write_q   <= 1'b1;
        end else if (arvalid_i) begin
          arready_o <= 1'b1;
          addr_q    <= araddr_i;
          read_q    <= ReadCycles;
        end
      end
      if (write_q) begin
        bvalid_o <= 1'b1;
        bresp_o  <= write_hit ? RespOkay : RespSlverr;
      end else if (bready_i) begin
        bvalid_o <= 1'b0;
      end
      if (read_q != '0) read_q <= read_q - 1'b1;
      if (read_q == 3'd1) begin
        rvalid_o <= 1'b1;
        if (aligned && (in_grt || in_lrt)) begin
          rresp_o <= RespOkay;
          rdata_o <= entry_word_q;
        end else if (port_hit) begin
          rresp_o <= RespOkay;
          rdata_o <= port_value_q;
        end else if (single_hit_q) begin
          rresp_o <= RespOkay;
          rdata_o <= single_value_q;
        end else begin
          rresp_o <= RespSlverr;
          rdata_o <= '0;
        end
      end else if (rready_i) begin
        rvalid_o <= 1'b0;
      end
    end
    if (read_q != '0) begin
      port_value_q   <= joined;
      single_value_q <= single_value;
      single_hit_q   <= single_hit;
      entry_word_q   <= addr_q[2] ? entry[63:32] : entry[31:0];
    end
  end

endmodule

`default_nettype wire
