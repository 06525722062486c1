// SPDX-License-Identifier: Apache-2.0
//
// Windows to the route tables: GRT and LRT, the ports whose tables a write changes, the port whose tables a read shows,
// and the code of the entries.
//
// A word of an entry has the fields of two TCs, and is written at once. An entry of up to two TCs has no high word: it
// reads 0, and a write of it does nothing. A read of a word with one wrong bit in a field counts the error and writes the
// corrected word back, like a table write. A field with two wrong bits is returned unchanged. Before ready_i the tables
// are cleared.
//
// Latency: a write reaches the tables 2 cycles after the write's address. The word of an entry is ready in the last cycle
// of a read. It takes 2 cycles from the tables, and with a code one to find a wrong bit and one to correct it.
// Speed: the code of a field; the wires to all ports have a register before them.
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
  /// Before: word of the tables to clear.
  input  logic [                       15:0] init_addr_i,

  /// The address to come is one of the registers that exist once.
  input  logic                               single_i,
  /// Number of the register there.
  input  logic [                        5:0] offset_i,
  /// The address to come, bits 15 to 2.
  input  logic [                       13:0] address_next_i,
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
  /// Word to write or read. A register drives it, also before ready_i, because the wires cross the card.
  output logic [  xt_pkg::TableAddrBits-1:0] index_o,
  /// Word to write; zero, which is a word without a route, before ready_i.
  output logic [xt_pkg::EntryStoredBits-1:0] wentry_o,
  /// Read that word of a table of this port as soon as you can.
  output logic [          xt_pkg::Ports-1:0] table_read_o,
  /// The word is one of the GRT.
  output logic                               table_read_grt_o,
  /// With BlockRamOnly: a table reads the word in this cycle.
  input  logic                               table_grant_i,
  /// The word, two cycles after the read.
  input  logic [xt_pkg::EntryStoredBits-1:0] table_rdata_i
);

  // The word comes two cycles after the read.
  localparam logic [2:0] WordCycle = TableCycles - 3'd2;
  localparam int WordDataBits = xt_pkg::EntryWordTcs * xt_pkg::EntryTcBits;

  // ---------------------------------------------------------------- address decoding
  logic        is_ports, is_read_port, is_flip, is_errors, in_grt_q, in_lrt_q;
  logic [11:0] table_index;
  logic [xt_pkg::TableAddrBits-1:0] word_index;

  assign table_index = {address_next_i[13] & address_next_i[12], address_next_i[11:1]};
  if (xt_pkg::EntryWords == 2) begin : g_two_words
    assign word_index = {table_index[xt_pkg::LrtBits-1:0], address_next_i[0]};
  end else begin : g_one_word
    assign word_index = table_index[xt_pkg::LrtBits-1:0];
    // verilator lint_off UNUSEDSIGNAL
    wire unused = address_next_i[0];
    // verilator lint_on UNUSEDSIGNAL
  end

  always_ff @(posedge clk_i) begin
    index_o      <= ready_i ? word_index : init_addr_i[xt_pkg::TableAddrBits-1:0];
    in_lrt_q     <= aligned_i && address_next_i[13] && table_index >> xt_pkg::LrtBits == '0;
    in_grt_q     <= aligned_i && address_next_i[13:12] == 2'b01 && table_index >> xt_pkg::GrtBits == '0;
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

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      table_ports_q     <= '1;
      table_read_port_q <= '0;
    end else begin
      if (write_i && is_ports) table_ports_q <= wdata_i[xt_pkg::Ports-1:0];
      if (write_i && is_read_port && is_port) table_read_port_q <= wdata_i[xt_pkg::PortBits-1:0];
    end
  end

  // ---------------------------------------------------------------- words of entries
  // A table write is carried out the cycle after write_i, the index being that of the address still.
  logic [xt_pkg::EntryStoredBits-1:0] word_q, encoded, mended_q;
  logic [           WordDataBits-1:0] new_word;
  logic [                       31:0] read_word;
  logic                               scrub_q, commit, is_word;
  logic [          xt_pkg::Ports-1:0] write_tables;
  logic                               init_grt, init_lrt;
  logic [                       15:0] table_errors;
  logic [                        5:0] flip;

  // Of the high word of three TCs the upper half is no field.
  assign is_word  = xt_pkg::EntryWords == 2 || !high_i;
  assign new_word = (xt_pkg::Tcs == 3 && high_i) ? WordDataBits'(wdata_i[xt_pkg::EntryTcBits-1:0]) : wdata_i[WordDataBits-1:0];
  assign commit   = write_i & (in_grt_q | in_lrt_q) & is_word;

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
  assign init_grt = xt_pkg::BlockRamOnly == 0 || init_addr_i[xt_pkg::TableAddrBits];
  assign init_lrt = xt_pkg::BlockRamOnly == 0 || !init_addr_i[xt_pkg::TableAddrBits];

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
    if (read_i == WordCycle) word_q <= table_rdata_i;
  end

  if (xt_pkg::TableEcc != 0) begin : g_code
    localparam int StoredBits = xt_pkg::EntryStoredBits;
    localparam int FieldBits = xt_pkg::EntryFieldBits;
    localparam int CodeBits = xt_pkg::EntryCodeBits;
    localparam int FlipRows = StoredBits / 8;
    logic [          StoredBits-1:0] coded, mended, inverted;
    logic [xt_pkg::EntryWordTcs-1:0] corrected, unused_uncorrectable;
    logic [              FlipRows:0] flip_row;
    logic [                     7:0] flip_column;
    logic [                     5:0] flip_q;
    logic [                    15:0] table_errors_q;

    for (genvar t = 0; t < xt_pkg::EntryWordTcs; t++) begin : g_field
      logic [CodeBits-1:0] new_code, read_code, syndrome_q;

      xt_table_code i_new (
        .data_i(new_word[t*xt_pkg::EntryTcBits+:xt_pkg::EntryTcBits]),
        .code_o(new_code)
      );
      xt_table_code i_read (
        .data_i(word_q[t*FieldBits+:xt_pkg::EntryTcBits]),
        .code_o(read_code)
      );
      xt_table_correct i_correct (
        .stored_i       (word_q[t*FieldBits+:FieldBits]),
        .syndrome_i     (syndrome_q),
        .stored_o       (mended[t*FieldBits+:FieldBits]),
        .corrected_o    (corrected[t]),
        .uncorrectable_o(unused_uncorrectable[t])
      );
      assign coded[t*FieldBits+:FieldBits] = {new_code, new_word[t*xt_pkg::EntryTcBits+:xt_pkg::EntryTcBits]};
      always_ff @(posedge clk_i) syndrome_q <= read_code ^ word_q[(t+1)*FieldBits-1-:CodeBits];
    end

    always_comb begin
      flip_row    = '0;
      flip_column = '0;
      inverted    = '0;
      if (xt_pkg::NoSkip != 0 || flip_q != '0) begin
        for (int r = 0; r <= FlipRows; r++) flip_row[r] = flip_q[5:3] == r[2:0];
        for (int c = 0; c < 8; c++) flip_column[c] = flip_q[2:0] == c[2:0];
        for (int b = 0; b < StoredBits; b++) inverted[b] = flip_row[(b+1)/8] & flip_column[(b+1)%8];
      end
    end
    assign encoded      = coded ^ inverted;
    assign flip         = flip_q;
    assign table_errors = table_errors_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        flip_q         <= '0;
        table_errors_q <= '0;
        scrub_q        <= 1'b0;
      end else begin
        if (write_i && is_flip) flip_q <= wdata_i[5:0];
        else if (commit) flip_q <= '0;
        scrub_q <= (read_i == 3'd3) & (in_grt_q | in_lrt_q) & (corrected != '0);
        if (scrub_q) table_errors_q <= table_errors_q + 1'b1;
      end
      mended_q <= mended;
    end
  end else begin : g_plain
    assign encoded      = new_word[xt_pkg::EntryStoredBits-1:0];
    assign flip         = '0;
    assign table_errors = '0;
    assign scrub_q      = 1'b0;
    assign mended_q     = word_q;
  end

  // ---------------------------------------------------------------- reads
  always_comb begin
    read_word = '0;
    for (int t = 0; t < xt_pkg::EntryWordTcs; t++) begin
      read_word[t*xt_pkg::EntryTcBits+:xt_pkg::EntryTcBits] = mended_q[t*xt_pkg::EntryFieldBits+:xt_pkg::EntryTcBits];
    end
  end
  assign value_o    = (is_ports ? 32'(table_ports_q) : '0) | (is_read_port ? 32'(table_read_port_q) : '0)
                    | (is_flip ? 32'(flip) : '0) | (is_errors ? 32'(table_errors) : '0)
                    | (((in_grt_q || in_lrt_q) && is_word) ? read_word : '0);
  assign hit_o      = in_grt_q | in_lrt_q | is_ports | is_read_port | is_flip | is_errors;
  assign writable_o = in_grt_q | in_lrt_q | is_ports | (is_read_port && is_port) | is_flip;

endmodule

`default_nettype wire
