// SPDX-License-Identifier: Apache-2.0
//
// Windows to the route tables: GRT and LRT, the ports whose tables a write changes, the port whose tables a read shows,
// and the code of the entries.
//
// An entry is written with its high word; the low word waits here. A read of a table entry with one wrong bit counts the
// error and writes the corrected entry back, like a table write. An entry with two wrong bits is returned unchanged.
// Before ready_i the tables are cleared.
//
// Latency: a write reaches the tables 2 cycles after the write's address. The word of an entry is ready in the last cycle
// of a read. It takes 2 cycles from the tables, and with a code one to find a wrong bit and one to correct it.
// Speed: the code of an entry; the wires to all ports have a register before them.
`default_nettype none

module xt_table_registers #(
  /// Cycles of a read of a table.
  parameter logic [2:0] TableCycles = 3'd5
) (
  /// Clock.
  input  logic                               clk_i,
  /// Reset, active low, synchronous.
  input  logic                               rst_ni,
  /// Tables and free lists are initialised.
  input  logic                               ready_i,
  /// Before: entry of the tables to clear.
  input  logic [                       15:0] init_addr_i,

  /// The address to come is one of the registers that exist once.
  input  logic                               single_i,
  /// Number of the register there.
  input  logic [                        5:0] offset_i,
  /// The address to come, bits 15 to 3.
  input  logic [                       12:0] address_next_i,
  /// That address is the one of a word.
  input  logic                               aligned_i,
  /// The address is the one of a high word.
  input  logic                               high_i,
  /// A write is carried out in this cycle.
  input  logic                               write_i,
  /// Data to write.
  input  logic [                       31:0] wdata_i,
  /// Cycles left of a read.
  input  logic [                        2:0] read_i,
  /// The read has to wait.
  output logic                               waits_o,
  /// The register or the word of an entry, if it is one of these; zero otherwise.
  output logic [                       31:0] value_o,
  /// The address is one of these.
  output logic                               hit_o,
  /// It can be written with this data.
  output logic                               writable_o,

  /// Write a word of the GRT, per input port.
  output logic [          xt_pkg::Ports-1:0] grt_we_o,
  /// Write a word of the LRT, per input port.
  output logic [          xt_pkg::Ports-1:0] lrt_we_o,
  /// Entry to write or read. A register drives the entry, also before ready_i, because the wires cross the card.
  output logic [        xt_pkg::LrtBits-1:0] index_o,
  /// Word to write; zero, which is a word without a route, before ready_i.
  output logic [xt_pkg::EntryStoredBits-1:0] wentry_o,
  /// Read that entry of a table of this port as soon as you can.
  output logic [          xt_pkg::Ports-1:0] table_read_o,
  /// The entry is one of the GRT.
  output logic                               table_read_grt_o,
  /// With BlockRamOnly: a table reads the entry in this cycle.
  input  logic                               table_grant_i,
  /// The entry, two cycles after the read.
  input  logic [xt_pkg::EntryStoredBits-1:0] table_rdata_i
);

  // The entry comes two cycles after the read.
  localparam logic [2:0] EntryCycle = TableCycles - 3'd2;

  // ---------------------------------------------------------------- address decoding
  logic        is_ports, is_read_port, is_flip, is_errors, in_grt_q, in_lrt_q;
  logic [11:0] table_index;

  assign table_index = {address_next_i[12] & address_next_i[11], address_next_i[10:0]};

  always_ff @(posedge clk_i) begin
    index_o      <= ready_i ? table_index[xt_pkg::LrtBits-1:0] : init_addr_i[xt_pkg::LrtBits-1:0];
    in_lrt_q     <= aligned_i && address_next_i[12] && table_index >> xt_pkg::LrtBits == '0;
    in_grt_q     <= aligned_i && address_next_i[12:11] == 2'b01 && table_index >> xt_pkg::GrtBits == '0;
    is_ports     <= single_i && offset_i == xt_pkg::RegTablePorts[7:2];
    is_read_port <= single_i && offset_i == xt_pkg::RegTableReadPort[7:2];
    is_flip      <= single_i && xt_pkg::TableEcc != 0 && offset_i == xt_pkg::RegTableFlip[7:2];
    is_errors    <= single_i && xt_pkg::TableEcc != 0 && offset_i == xt_pkg::RegTableErrors[7:2];
  end

  // ---------------------------------------------------------------- settings
  // Read as a number of the bits that a port has: a carry chain over the whole word costs more.
  wire is_port = wdata_i[31:xt_pkg::PortBits] == '0 && 32'(wdata_i[xt_pkg::PortBits-1:0]) < xt_pkg::Ports;
  logic [    xt_pkg::Ports-1:0] table_ports_q;
  logic [ xt_pkg::PortBits-1:0] table_read_port_q;
  logic [                 31:0] low_q;  // low word of the entry to come

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      table_ports_q     <= '1;
      table_read_port_q <= '0;
      low_q             <= '0;
    end else begin
      if (write_i && is_ports) table_ports_q <= wdata_i[xt_pkg::Ports-1:0];
      if (write_i && is_read_port && is_port) table_read_port_q <= wdata_i[xt_pkg::PortBits-1:0];
      if (write_i && (in_grt_q || in_lrt_q) && !high_i) low_q <= wdata_i;
    end
  end

  // ---------------------------------------------------------------- entries
  // A table write is carried out the cycle after write_i, the index being that of the address still.
  logic [xt_pkg::EntryStoredBits-1:0] entry_q, encoded, mended_q;
  logic [      xt_pkg::EntryBits-1:0] new_entry;
  logic                               scrub_q, commit;
  logic [          xt_pkg::Ports-1:0] write_tables;
  logic                               init_grt, init_lrt;
  logic [                       15:0] table_errors;
  logic [                        6:0] flip;
  logic [                       63:0] wide_mended;
  // Of the 64 bits of its window an entry has 16 per traffic class.
  // verilator lint_off UNUSEDSIGNAL
  logic [                       63:0] wide_entry;
  // verilator lint_on UNUSEDSIGNAL

  assign wide_entry = {wdata_i, low_q};
  assign new_entry  = wide_entry[xt_pkg::EntryBits-1:0];
  assign commit     = write_i & (in_grt_q | in_lrt_q) & high_i;

  // A table read waits for its grant in its first cycle. Nobody grants it where an upset has chosen a port that is none.
  logic reads_table;
  assign reads_table = read_i == TableCycles && (in_grt_q || in_lrt_q);
  assign waits_o     = xt_pkg::BlockRamOnly != 0 && table_read_o != '0 && !table_grant_i;
  for (genvar p = 0; p < xt_pkg::Ports; p++) begin : g_table
    logic selected;

    assign selected        = table_read_port_q == p[xt_pkg::PortBits-1:0];
    assign table_read_o[p] = reads_table & selected;
    assign write_tables[p] = commit ? table_ports_q[p] : scrub_q & selected;
  end
  assign table_read_grt_o = in_grt_q;

  // One memory for both tables is cleared one after the other.
  assign init_grt = xt_pkg::BlockRamOnly == 0 || init_addr_i[xt_pkg::LrtBits];
  assign init_lrt = xt_pkg::BlockRamOnly == 0 || !init_addr_i[xt_pkg::LrtBits];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      grt_we_o <= '0;
      lrt_we_o <= '0;
    end else if (!ready_i) begin
      grt_we_o <= {xt_pkg::Ports{init_grt}};
      lrt_we_o <= {xt_pkg::Ports{init_lrt}};
    end else begin
      grt_we_o <= in_grt_q ? write_tables : '0;
      lrt_we_o <= in_lrt_q ? write_tables : '0;
    end
    if (!ready_i) wentry_o <= '0;
    else wentry_o <= scrub_q ? mended_q : encoded;
    if (read_i == EntryCycle) entry_q <= table_rdata_i;
  end

  if (xt_pkg::TableEcc != 0) begin : g_code
    localparam int FlipRows = xt_pkg::EntryStoredBits / 8;
    logic [  xt_pkg::EntryCodeBits-1:0] new_code, read_code, syndrome_q;
    logic [xt_pkg::EntryStoredBits-1:0] mended;
    logic [xt_pkg::EntryStoredBits-1:0] inverted;
    logic [                 FlipRows:0] flip_row;
    logic [                        7:0] flip_column;
    logic [                        6:0] flip_q;
    logic [                       15:0] table_errors_q;
    logic                               corrected, unused_uncorrectable;

    xt_table_code i_new (
      .data_i(new_entry),
      .code_o(new_code)
    );
    xt_table_code i_read (
      .data_i(entry_q[xt_pkg::EntryBits-1:0]),
      .code_o(read_code)
    );
    xt_table_correct i_correct (
      .stored_i       (entry_q),
      .syndrome_i     (syndrome_q),
      .stored_o       (mended),
      .corrected_o    (corrected),
      .uncorrectable_o(unused_uncorrectable)
    );

    always_comb begin
      flip_row    = '0;
      flip_column = '0;
      inverted    = '0;
      if (xt_pkg::NoSkip != 0 || flip_q != '0) begin
        for (int r = 0; r <= FlipRows; r++) flip_row[r] = flip_q[6:3] == r[3:0];
        for (int c = 0; c < 8; c++) flip_column[c] = flip_q[2:0] == c[2:0];
        for (int b = 0; b < xt_pkg::EntryStoredBits; b++) inverted[b] = flip_row[(b+1)/8] & flip_column[(b+1)%8];
      end
    end
    assign encoded      = {new_code, new_entry} ^ inverted;
    assign flip         = flip_q;
    assign table_errors = table_errors_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        flip_q         <= '0;
        table_errors_q <= '0;
        scrub_q        <= 1'b0;
      end else begin
        if (write_i && is_flip) flip_q <= wdata_i[6:0];
        else if (commit) flip_q <= '0;
        scrub_q <= (read_i == 3'd3) & (in_grt_q | in_lrt_q) & corrected;
        if (scrub_q) table_errors_q <= table_errors_q + 1'b1;
      end
      syndrome_q <= read_code ^ entry_q[xt_pkg::EntryStoredBits-1-:xt_pkg::EntryCodeBits];
      mended_q   <= mended;
    end
  end else begin : g_plain
    assign encoded      = new_entry;
    assign flip         = '0;
    assign table_errors = '0;
    assign scrub_q      = 1'b0;
    assign mended_q     = entry_q;
  end

  // ---------------------------------------------------------------- reads
  assign wide_mended = 64'(mended_q[xt_pkg::EntryBits-1:0]);
  assign value_o     = (is_ports ? 32'(table_ports_q) : '0) | (is_read_port ? 32'(table_read_port_q) : '0)
                     | (is_flip ? 32'(flip) : '0) | (is_errors ? 32'(table_errors) : '0)
                     | ((in_grt_q || in_lrt_q) ? (high_i ? wide_mended[63:32] : wide_mended[31:0]) : '0);
  assign hit_o       = in_grt_q | in_lrt_q | is_ports | is_read_port | is_flip | is_errors;
  assign writable_o  = in_grt_q | in_lrt_q | is_ports | (is_read_port && is_port) | is_flip;

endmodule

`default_nettype wire
