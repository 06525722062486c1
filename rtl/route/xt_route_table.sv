// SPDX-License-Identifier: Apache-2.0
//
// Routing tables of one input port, read in parallel. The upper bits of the destination address index the
// global table (GRT), the lower bits the local one (LRT). A per-TC order bit and match mask choose the
// deciding table. With *global first* the GRT decides unless the upper bits are the card's own. With *local first*
// the GRT decides only if the lower bits are the card's own and the upper bits are not.
//
// A word holds the fields of two TCs. The upper bit of the TC is part of the address, the lower one chooses the field.
//
// Software reads and writes the tables at a second port without disturbing lookups. Software sees stored words, with
// the code of each field on top of it if the profile has one. A lookup does not correct: a field with a wrong bit makes
// an erroneous route, and the packet is dropped. A read by software corrects the word.
//
// With BlockRamOnly both tables share one memory with one read port. The deciding table is found before the
// address, and software reads in a cycle without a lookup.
//
// Latency: route LookupCycles after the address: two, or one with BlockRamOnly. The error comes a cycle after the route.
// Speed: block RAM clock-to-out, and the choice of a field of both words.
`default_nettype none

module xt_route_table (
  /// Clock.
  input  logic                             clk_i,

  /// Destination address of the packet whose head is at the input.
  input  logic [      xt_pkg::IdBits-1:0]  dest_i,
  /// Traffic class of the packet.
  input  logic [      xt_pkg::TcBits-1:0]  tc_i,
  /// Look other_dest_i up instead. Late.
  input  logic                             other_i,
  /// Destination address of another packet.
  input  logic [      xt_pkg::IdBits-1:0]  other_dest_i,
  /// Traffic class of the bypass.
  input  logic [      xt_pkg::TcBits-1:0]  other_tc_i,
  /// The card's own address.
  input  logic [      xt_pkg::IdBits-1:0]  own_i,
  /// Per TC: 1 = local first.
  input  logic [         xt_pkg::Tcs-1:0]  order_i,
  /// Per TC: address bits to compare.
  input  logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_i,
  /// Field of the deciding entry for that TC.
  output logic [ xt_pkg::EntryTcBits-1:0]  route_o,
  /// The field of the route in the last cycle has a wrong bit.
  output logic                             route_error_o,

  /// Write a word of the GRT.
  input  logic                             grt_we_i,
  /// Write a word of the LRT.
  input  logic                             lrt_we_i,
  /// Word to write or read: the entry, and below it the word of the entry.
  input  logic [xt_pkg::TableAddrBits-1:0] index_i,
  /// Word to write.
  input  logic [xt_pkg::EntryStoredBits-1:0] wdata_i,
  /// A destination may be looked up.
  input  logic                             looks_i,
  /// With BlockRamOnly: dest_i may be that of a packet.
  input  logic                             lookup_i,
  /// Read the word; not while one is written.
  input  logic                             read_i,
  /// The word is one of the GRT.
  input  logic                             read_grt_i,
  /// With BlockRamOnly: the word is read in this cycle, no destination looked up.
  output logic                             read_grant_o,
  /// Word read in the previous cycle, zero without a read.
  output logic [xt_pkg::EntryStoredBits-1:0] rdata_o
);

  if (xt_pkg::GrtBits > xt_pkg::LrtBits) begin : g_illegal
    xt_route_table_grt_larger_than_lrt i_illegal ();
  end
  if (xt_pkg::BlockRamOnly != 0 && (xt_pkg::TableEcc != 0 || xt_pkg::GrtBits == xt_pkg::LrtBits))
  begin : g_illegal_memory
    xt_route_table_has_one_memory_without_code_and_a_smaller_grt i_illegal ();
  end

  logic                      use_grt;
  logic [xt_pkg::IdBits-1:0] dest;
  logic [xt_pkg::TcBits-1:0] tc, tc_q;
  logic [xt_pkg::EntryStoredBits-1:0] entry;
  logic [xt_pkg::EntryFieldBits-1:0] field;  // as stored

  // Bits of the number of a word within its entry.
  localparam int WordBits = xt_pkg::TableAddrBits - xt_pkg::LrtBits;
  localparam int GrtAddrBits = xt_pkg::GrtBits + WordBits;
  logic [xt_pkg::TableAddrBits-1:0] lrt_address;
  logic [          GrtAddrBits-1:0] grt_address;

  // Whether the GRT decides, for both destinations: the choice between them arrives late.
  logic [1:0] decides;
  always @* begin : decide
    int n, t;
    logic [xt_pkg::IdBits-1:0] mask, differs;
    logic                      order;
    n       = 0;
    t       = 0;
    mask    = '0;
    differs = '0;
    order   = 1'b0;
    decides = '0;
    if (xt_pkg::NoSkip != 0 || looks_i) begin
      for (n = 0; n < 2; n = n + 1) begin
        mask  = '0;
        order = 1'b0;
        for (t = 0; t < xt_pkg::Tcs; t = t + 1) begin
          if (((n == 0) ? tc_i : other_tc_i) == t[xt_pkg::TcBits-1:0]) begin
            mask  = mask_i[t*xt_pkg::IdBits+:xt_pkg::IdBits];
            order = order_i[t];
          end
        end
        differs    = (((n == 0) ? dest_i : other_dest_i) ^ own_i) & mask;
        decides[n] = differs[xt_pkg::IdBits-1:xt_pkg::LrtBits] != '0 && !(order && differs[xt_pkg::LrtBits-1:0] != '0);
      end
    end
  end
  assign dest    = other_i ? other_dest_i : dest_i;
  assign use_grt = other_i ? decides[1] : decides[0];
  assign tc      = other_i ? other_tc_i : tc_i;

  if (WordBits == 0) begin : g_one_word
    assign lrt_address = dest[xt_pkg::LrtBits-1:0];
    assign grt_address = dest[xt_pkg::IdBits-1-:xt_pkg::GrtBits];
  end else begin : g_two_words
    assign lrt_address = {dest[xt_pkg::LrtBits-1:0], tc[xt_pkg::TcBits-1]};
    assign grt_address = {dest[xt_pkg::IdBits-1-:xt_pkg::GrtBits], tc[xt_pkg::TcBits-1]};
  end

  always_ff @(posedge clk_i) tc_q <= tc;

  if (xt_pkg::BlockRamOnly != 0) begin : g_one_memory
    localparam int AddrBits = xt_pkg::TableAddrBits + 1;  // the GRT above the LRT
    logic [AddrBits-1:0] lookup;
    logic                granted_q;

    assign read_grant_o = read_i & ~lookup_i;
    assign lookup       = use_grt ? {1'b1, {xt_pkg::LrtBits - xt_pkg::GrtBits{1'b0}}, grt_address}
                                  : {1'b0, lrt_address};
    xt_ram_1r1w #(
      .Width(xt_pkg::EntryStoredBits),
      .Depth(2 ** AddrBits)
    ) i_tables (
      .clk_i,
      .we_i   (grt_we_i | lrt_we_i),
      .waddr_i({grt_we_i, index_i}),
      .wdata_i,
      .raddr_i(read_grant_o ? {read_grt_i, index_i} : lookup),
      .rdata_o(entry)
    );
    always_ff @(posedge clk_i) granted_q <= read_grant_o;
    assign rdata_o = granted_q ? entry : '0;
  end else begin : g_two_memories
    logic [xt_pkg::EntryStoredBits-1:0] grt_entry, lrt_entry, grt_rdata, lrt_rdata;
    logic                               use_grt_q;

    xt_ram_1r1rw #(
      .Width(xt_pkg::EntryStoredBits),
      .Depth(2 ** GrtAddrBits)
    ) i_grt (
      .clk_i,
      .a_addr_i (grt_address),
      .a_rdata_o(grt_entry),
      .b_we_i   (grt_we_i),
      .b_read_i (read_i & read_grt_i),
      .b_addr_i (index_i[GrtAddrBits-1:0]),
      .b_wdata_i(wdata_i),
      .b_rdata_o(grt_rdata)
    );

    xt_ram_1r1rw #(
      .Width(xt_pkg::EntryStoredBits),
      .Depth(2 ** xt_pkg::TableAddrBits)
    ) i_lrt (
      .clk_i,
      .a_addr_i (lrt_address),
      .a_rdata_o(lrt_entry),
      .b_we_i   (lrt_we_i),
      .b_read_i (read_i & ~read_grt_i),
      .b_addr_i (index_i),
      .b_wdata_i(wdata_i),
      .b_rdata_o(lrt_rdata)
    );

    always_ff @(posedge clk_i) use_grt_q <= use_grt;
    assign entry        = use_grt_q ? grt_entry : lrt_entry;
    assign rdata_o      = grt_rdata | lrt_rdata;
    assign read_grant_o = 1'b0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = lookup_i;
    // verilator lint_on UNUSEDSIGNAL
  end

  always @* begin
    field = '0;
    for (int t = 0; t < xt_pkg::EntryWordTcs; t++) begin
      if (32'(tc_q) % xt_pkg::EntryWordTcs == t) field = entry[t*xt_pkg::EntryFieldBits+:xt_pkg::EntryFieldBits];
    end
  end

  if (xt_pkg::LookupCycles == 2) begin : g_route
    always_ff @(posedge clk_i) route_o <= field[xt_pkg::EntryTcBits-1:0];
  end else begin : g_route_at_once
    assign route_o = field[xt_pkg::EntryTcBits-1:0];
  end

  if (xt_pkg::TableEcc != 0) begin : g_code
    // The field is kept before its syndrome is formed: the memory gives it late, and may be far away.
    logic [xt_pkg::EntryCodeBits-1:0] code, stored_q;

    if (xt_pkg::LookupCycles != 2) begin : g_illegal_code
      xt_route_table_keeps_a_field_with_a_code i_illegal ();
    end
    xt_table_code i_code (
      .data_i(route_o),
      .code_o(code)
    );
    always_ff @(posedge clk_i) begin
      stored_q      <= field[xt_pkg::EntryFieldBits-1-:xt_pkg::EntryCodeBits];
      route_error_o <= code != stored_q;
    end
  end else begin : g_plain
    assign route_error_o = 1'b0;
  end

endmodule

`default_nettype wire
