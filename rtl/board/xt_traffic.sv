// SPDX-License-Identifier: Apache-2.0
//
// Traffic for one NIC port: a generator that sends packets at the port's full speed or at a rate, and a checker of the
// received packets. Both stand between the bridge and the card. Without `send` the bridge's packets go to the card;
// without `check` the card's packets go to the bridge. A packet is never divided between the two.
//
// A packet begins with its header: destination, source, length, class, and the number in the lowest bits of
// the tag. Steps of xorshift32 fill the following cells, from a seed made of source and number. So the
// checker needs no state of its sources. The sums of the numbers sent and received over all PEs are equal if
// no packet was lost or came twice. Otherwise they differ, but for chance.
//
// Rate: every cycle adds TRAFFIC_RATE / 65536 cells, up to two longest packets. A packet starts when the sum covers its
// cells. Destinations follow one of three rules. The first is one address. The second is uniform over
// 0 .. TRAFFIC_TO - 1 without the own address, by a product with a random number. The third is any distribution, by an
// alias table: columns are drawn uniformly, and a column gives its own number or another one.
//
// Speed: three shifts and xors; a product of 16 bits, or a read of the table, in a cycle of its own. Behind the table is
// a comparison of 16 bits.
//
// Latency: each module has a clock, and the header takes its lowest 16 bits along as a stamp. The checker sums the times
// from there to the last beat. The host sets the clock by TRAFFIC_CLOCK and its rate by TRAFFIC_DRIFT, so that those of all
// boards agree. Profiles without stamps have no clock.
`default_nettype none

module xt_traffic #(
  /// Columns of the alias table, a power of two; 0: there is none.
  parameter int Table = 512,
  /// Bits of a word's number in the table.
  localparam int IndexBits = $clog2(xt_bridge_pkg::TrafficTableStride / 4)
) (
  /// Clock.
  input  logic                        clk_i,
  /// Reset, active low, synchronous.
  input  logic                        rst_ni,

  /// Register access: write a register.
  input  logic                        we_i,
  /// Register access: write a word of the table.
  input  logic                        table_we_i,
  /// Word of the registers, from TRAFFIC_CONTROL on, in the lowest 5 bits; or of the table.
  input  logic [       IndexBits-1:0] address_i,
  /// Register access: word to write.
  input  logic [                31:0] wdata_i,
  /// Register access: the word at the address.
  output logic [                31:0] rdata_o,

  /// AXI4-Stream from the bridge.
  input  logic                        bridge_tvalid_i,
  /// AXI4-Stream from the bridge.
  output logic                        bridge_tready_o,
  /// AXI4-Stream from the bridge.
  input  logic [xt_pkg::CellBits-1:0] bridge_tdata_i,
  /// AXI4-Stream from the bridge.
  input  logic                        bridge_tlast_i,
  /// AXI4-Stream to the card.
  output logic                        card_tvalid_o,
  /// AXI4-Stream to the card.
  input  logic                        card_tready_i,
  /// AXI4-Stream to the card.
  output logic [xt_pkg::CellBits-1:0] card_tdata_o,
  /// AXI4-Stream to the card.
  output logic                        card_tlast_o,

  /// AXI4-Stream from the card.
  input  logic                        card_tvalid_i,
  /// AXI4-Stream from the card.
  output logic                        card_tready_o,
  /// AXI4-Stream from the card.
  input  logic [xt_pkg::CellBits-1:0] card_tdata_i,
  /// AXI4-Stream from the card.
  input  logic                        card_tlast_i,
  /// AXI4-Stream from the card.
  input  logic                        card_tuser_i,
  /// AXI4-Stream to the bridge.
  output logic                        bridge_tvalid_o,
  /// AXI4-Stream to the bridge.
  input  logic                        bridge_tready_i
);

  localparam int CellBits = xt_pkg::CellBits;
  localparam int IdBits = xt_pkg::IdBits;
  localparam int LenBits = xt_pkg::LenBits;
  localparam int TcBits = xt_pkg::TcBits;
  localparam int TagRoom = xt_pkg::HdrTagBits - xt_pkg::StampBits;
  localparam int NumberBits = (TagRoom > 20) ? 20 : TagRoom;
  localparam int Words = (CellBits + 31) / 32;
  // Cells, with 16 bits after the point.
  localparam int TokenBits = $clog2(2 * xt_pkg::PacketCells + 1) + 16;

  function automatic logic [31:0] step(input logic [31:0] state);
    logic [31:0] x;
    x    = state ^ {state[18:0], 13'd0};
    x    = x ^ {17'd0, x[31:17]};
    step = x ^ {x[26:0], 5'd0};
  endfunction

  function automatic logic [31:0] seed(input logic [IdBits-1:0] source, input logic [NumberBits-1:0] number);
    seed = ({{(32 - IdBits){1'b0}}, source} << 20) ^ {{(32 - NumberBits){1'b0}}, number} ^ 32'h9e3779b9;
  endfunction

  function automatic logic [CellBits-1:0] payload(input logic [31:0] state);
    logic [32*Words-1:0] words;
    for (int w = 0; w < Words; w++) words[32*w+:32] = w[0] ? ~state : state;
    payload = words[CellBits-1:0];
  endfunction

  if (Table < 0 || Table == 1 || Table > 2 ** IndexBits || Table > 2 ** 16 || (Table & (Table - 1)) != 0) begin : g_illegal
    xt_traffic_table_is_a_power_of_two_within_its_registers i_illegal ();
  end

  // ---------------------------------------------------------------- registers
  logic [31:0] clock, drift, range;
  logic [47:0] latency_sum;
  logic send_q, check_q, uniform_q, table_q, clear_q;
  logic [TcBits-1:0] tc_q;
  logic [LenBits-1:0] len_q;
  logic [15:0] to_q, rate_q;
  logic [IdBits-1:0] from_q;
  logic [31:0] limit_q, sent_q, sent_sum_q, came_q, came_sum_q, wrong_q, stray_q, cells_q;

  function automatic logic [4:0] index(input logic [15:0] register);
    // verilator lint_off UNUSEDSIGNAL
    logic [15:0] word;
    // verilator lint_on UNUSEDSIGNAL
    word  = register >> 2;
    index = word[4:0];
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      send_q    <= 1'b0;
      check_q   <= 1'b0;
      uniform_q <= 1'b0;
      table_q   <= 1'b0;
      clear_q   <= 1'b1;
      tc_q      <= '0;
      len_q     <= '0;
      to_q      <= '0;
      from_q    <= '0;
      rate_q    <= '0;
      limit_q   <= '0;
    end else begin
      clear_q <= 1'b0;
      if (we_i) begin
        case (address_i[4:0])
          index(xt_bridge_pkg::RegTrafficControl): begin
            send_q    <= wdata_i[0];
            check_q   <= wdata_i[1];
            clear_q   <= wdata_i[2];
            uniform_q <= wdata_i[3];
            table_q   <= wdata_i[4] & (Table != 0);
            tc_q      <= wdata_i[8+:TcBits];
            len_q     <= wdata_i[16+:LenBits];
          end
          index(xt_bridge_pkg::RegTrafficTo): to_q <= wdata_i[15:0];
          index(xt_bridge_pkg::RegTrafficFrom): from_q <= wdata_i[IdBits-1:0];
          index(xt_bridge_pkg::RegTrafficRate): rate_q <= wdata_i[15:0];
          index(xt_bridge_pkg::RegTrafficLimit): limit_q <= wdata_i;
          default: ;
        endcase
      end
    end
  end

  always @* begin
    rdata_o = '0;
    case (address_i[4:0])
      index(xt_bridge_pkg::RegTrafficControl):
      rdata_o = 32'({table_q, uniform_q, 1'b0, check_q, send_q}) | (32'(tc_q) << 8) | (32'(len_q) << 16);
      index(xt_bridge_pkg::RegTrafficTo): rdata_o = 32'(to_q);
      index(xt_bridge_pkg::RegTrafficFrom): rdata_o = 32'(from_q);
      index(xt_bridge_pkg::RegTrafficRate): rdata_o = 32'(rate_q);
      index(xt_bridge_pkg::RegTrafficLimit): rdata_o = limit_q;
      index(xt_bridge_pkg::RegTrafficClock): rdata_o = clock;
      index(xt_bridge_pkg::RegTrafficDrift): rdata_o = drift;
      index(xt_bridge_pkg::RegTrafficSent): rdata_o = sent_q;
      index(xt_bridge_pkg::RegTrafficSentSum): rdata_o = sent_sum_q;
      index(xt_bridge_pkg::RegTrafficCame): rdata_o = came_q;
      index(xt_bridge_pkg::RegTrafficCameSum): rdata_o = came_sum_q;
      index(xt_bridge_pkg::RegTrafficWrong): rdata_o = wrong_q;
      index(xt_bridge_pkg::RegTrafficStray): rdata_o = stray_q;
      index(xt_bridge_pkg::RegTrafficCells): rdata_o = cells_q;
      index(xt_bridge_pkg::RegTrafficRange): rdata_o = range;
      index(xt_bridge_pkg::RegTrafficLatency): rdata_o = latency_sum[31:0];
      index(xt_bridge_pkg::RegTrafficLatencyHigh): rdata_o = 32'(latency_sum[47:32]);
      default: ;
    endcase
  end

  // ---------------------------------------------------------------- generator
  logic [31:0] random_q, fill_q;
  // verilator lint_off UNUSEDSIGNAL
  logic [31:0] product_q;
  // verilator lint_on UNUSEDSIGNAL
  logic [15:0] choices;
  logic [IdBits-1:0] drawn, next_dest_q, dest_q;
  logic drawn_q, product_there_q;  // a destination is ready, or under way
  logic [TokenBits-1:0] tokens_q;
  logic [NumberBits-1:0] number_q, number_d;
  logic [LenBits-1:0] left_q;
  logic generating_q, passing_q;  // within a packet of one's own, of the bridge
  logic out_valid, out_ready;
  logic first_q, start, beat, own_last, finish, limited, enough;
  logic [CellBits-1:0] header, own_data;

  // One of to_q - 1 numbers, those from the own address on one higher.
  assign drawn   = product_q[16+:IdBits];
  assign choices = to_q - 1'b1;
  assign limited = limit_q != '0 && sent_q + 32'(finish) == limit_q;
  assign enough  = tokens_q[TokenBits-1:16] > (TokenBits - 16)'(len_q);
  assign start   = send_q & ~clear_q & (~generating_q | finish) & ~passing_q & drawn_q & enough & ~limited;
  assign beat    = out_valid & out_ready;

  assign own_last        = left_q == '0;
  assign finish          = generating_q & beat & own_last;
  assign number_d        = number_q + {{(NumberBits - 1){1'b0}}, finish};
  assign out_valid       = generating_q | (bridge_tvalid_i & (passing_q | ~send_q));
  assign bridge_tready_o = out_ready & ~generating_q & (passing_q | ~send_q);

  xt_stream_slice #(
    .Width(CellBits + 1)
  ) i_slice (
    .clk_i,
    .rst_ni,
    .valid_i(out_valid),
    .ready_o(out_ready),
    .data_i (generating_q ? {own_last, own_data} : {bridge_tlast_i, bridge_tdata_i}),
    .valid_o(card_tvalid_o),
    .ready_i(card_tready_i),
    .data_o ({card_tlast_o, card_tdata_o})
  );

  assign header = (CellBits'(dest_q) << xt_pkg::HdrDestLsb) | (CellBits'(from_q) << xt_pkg::HdrSrcLsb)
                | (CellBits'(len_q) << xt_pkg::HdrLenLsb) | (CellBits'(tc_q) << xt_pkg::HdrTcLsb)
                | (CellBits'(number_q) << xt_pkg::HdrTagLsb)
                | ((xt_pkg::StampBits != 0) ? (CellBits'(clock[15:0]) << xt_pkg::HdrStampLsb) : '0);
  assign own_data = first_q ? header : payload(fill_q);

  // The highest bits of the random number choose a column. The column gives its own number if the lowest bits are below
  // its limit.
  logic [IdBits-1:0] from_table;
  if (Table != 0) begin : g_table
    localparam int ColumnBits = $clog2(Table);
    logic [ColumnBits-1:0] column;
    // verilator lint_off UNUSEDSIGNAL
    logic [31:0] word;  // limit, other number
    // verilator lint_on UNUSEDSIGNAL

    assign column     = random_q[31-:ColumnBits];
    assign from_table = (random_q[15:0] < word[31:16]) ? IdBits'(column) : word[IdBits-1:0];

    xt_ram_1r1w #(
      .Width(32),
      .Depth(Table)
    ) i_table (
      .clk_i,
      .we_i   (table_we_i),
      .waddr_i(address_i[ColumnBits-1:0]),
      .wdata_i,
      .raddr_i(column),
      .rdata_o(word)
    );
  end else begin : g_no_table
    assign from_table = '0;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^{table_we_i, address_i};
    // verilator lint_on UNUSEDSIGNAL
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      generating_q    <= 1'b0;
      passing_q       <= 1'b0;
      drawn_q         <= 1'b0;
      product_there_q <= 1'b0;
      tokens_q        <= '0;
    end else begin
      if (start) generating_q <= 1'b1;
      else if (finish) generating_q <= 1'b0;
      if (!generating_q && beat) passing_q <= ~bridge_tlast_i;

      product_there_q <= ~drawn_q & ~product_there_q & ~start;
      if (start || clear_q) drawn_q <= 1'b0;
      else if (product_there_q) drawn_q <= 1'b1;

      if (clear_q) tokens_q <= '0;
      else if (start) tokens_q <= tokens_q - {(TokenBits - 16)'(len_q) + 1'b1, 16'd0} + {{(TokenBits - 16){1'b0}}, rate_q};
      else if (tokens_q < TokenBits'((2 * xt_pkg::PacketCells) << 16) - {{(TokenBits - 16){1'b0}}, rate_q})
        tokens_q <= tokens_q + {{(TokenBits - 16){1'b0}}, rate_q};
    end

    if (clear_q) random_q <= 32'h2545f491 ^ {16'd0, 16'(from_q)};
    else if (product_there_q) random_q <= (random_q == '0) ? 32'h2545f491 : step(random_q);  // zero, after an upset, would stay
    product_q <= {16'd0, random_q[31:16]} * {16'd0, choices};
    if (product_there_q) begin
      if (table_q) next_dest_q <= from_table;
      else if (!uniform_q) next_dest_q <= to_q[IdBits-1:0];
      else next_dest_q <= drawn + {{(IdBits - 1){1'b0}}, drawn >= from_q};
    end

    if (start) begin
      first_q <= 1'b1;
      left_q  <= len_q;
      dest_q  <= next_dest_q;
      fill_q  <= step(seed(from_q, number_d));
    end else if (generating_q && beat) begin
      first_q <= 1'b0;
      left_q  <= left_q - 1'b1;
      if (!first_q) fill_q <= step(fill_q);
    end
    number_q <= clear_q ? '0 : number_d;
    if (clear_q) begin
      sent_q     <= '0;
      sent_sum_q <= '0;
    end else if (finish) begin
      sent_q     <= sent_q + 1'b1;
      sent_sum_q <= sent_sum_q + 32'(number_q);
    end
  end

  // ---------------------------------------------------------------- checker
  logic checking, inside_q, kept_q;  // within a packet; the packet is checked
  logic offered_q;  // the bridge has not taken a beat that it was offered
  logic [LenBits-1:0] expected_q;
  logic [31:0] expect_q;
  logic [IdBits-1:0] dest, source;
  logic [NumberBits-1:0] number, came_number_q;
  logic bad, bad_q, stray_here_q, take, ends;

  assign checking        = inside_q ? kept_q : (check_q & ~offered_q);
  assign card_tready_o   = checking | bridge_tready_i;
  assign bridge_tvalid_o = card_tvalid_i & ~checking;
  assign take            = card_tvalid_i & checking;
  assign ends            = take & card_tlast_i;
  assign dest            = card_tdata_i[xt_pkg::HdrDestLsb+:IdBits];
  assign source          = card_tdata_i[xt_pkg::HdrSrcLsb+:IdBits];
  assign number          = card_tdata_i[xt_pkg::HdrTagLsb+:NumberBits];

  // Wrong so far, with this beat.
  always_comb begin
    if (!inside_q) bad = card_tlast_i != (card_tdata_i[xt_pkg::HdrLenLsb+:LenBits] == '0);
    else bad = bad_q | (card_tdata_i != payload(expect_q)) | (card_tlast_i != (expected_q == LenBits'(1)));
    if (card_tlast_i && card_tuser_i) bad = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) inside_q <= 1'b0;
    else if (card_tvalid_i && card_tready_o) inside_q <= ~card_tlast_i;
    offered_q <= rst_ni & bridge_tvalid_o & ~bridge_tready_i;
    if (card_tvalid_i && card_tready_o) begin
      kept_q <= checking;
      bad_q  <= bad;
      if (!inside_q) begin
        expected_q    <= card_tdata_i[xt_pkg::HdrLenLsb+:LenBits];
        expect_q      <= step(seed(source, number));
        came_number_q <= number;
        stray_here_q  <= dest != from_q;
      end else begin
        expected_q <= expected_q - 1'b1;
        expect_q   <= step(expect_q);
      end
    end
    if (clear_q) begin
      came_q     <= '0;
      came_sum_q <= '0;
      wrong_q    <= '0;
      stray_q    <= '0;
      cells_q    <= '0;
    end else begin
      if (take) cells_q <= cells_q + 1'b1;
      if (ends) begin
        came_q     <= came_q + 1'b1;
        came_sum_q <= came_sum_q + {{(32 - NumberBits){1'b0}}, inside_q ? came_number_q : number};
        if (bad) wrong_q <= wrong_q + 1'b1;
        if (inside_q ? stray_here_q : (dest != from_q)) stray_q <= stray_q + 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------- clock and latencies
  if (xt_pkg::StampBits != 0) begin : g_clock
    logic [31:0] clock_q, fraction_q, next_fraction;
    logic [23:0] drift_q;
    logic [15:0] stamp_q, latency_q, least_q, greatest_q;
    logic [47:0] sum_q;
    logic carry, we_clock, ended_q;
    logic [1:0] step_q;  // of the clock in this cycle: 0 to 2

    assign {carry, next_fraction} = {1'b0, fraction_q} + {1'b0, {8{drift_q[23]}}, drift_q};
    assign we_clock = we_i && address_i[4:0] == index(xt_bridge_pkg::RegTrafficClock);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        clock_q    <= '0;
        fraction_q <= '0;
        drift_q    <= '0;
        step_q     <= 2'd1;
        ended_q    <= 1'b0;
      end else begin
        fraction_q <= next_fraction;
        step_q     <= 2'd1 + {1'b0, carry} - {1'b0, drift_q[23]};  // below zero it borrows unless it carries
        clock_q    <= clock_q + (we_clock ? wdata_i : {30'd0, step_q});
        if (we_i && address_i[4:0] == index(xt_bridge_pkg::RegTrafficDrift)) drift_q <= wdata_i[23:0];
        ended_q <= ends;
      end
      if (take && !inside_q) stamp_q <= card_tdata_i[xt_pkg::HdrStampLsb+:16];
      latency_q <= clock_q[15:0] - (inside_q ? stamp_q : card_tdata_i[xt_pkg::HdrStampLsb+:16])
                 + xt_bridge_pkg::TrafficLatencyZero[15:0];
      if (clear_q) begin
        sum_q      <= '0;
        least_q    <= '1;
        greatest_q <= '0;
      end else if (ended_q) begin
        sum_q <= sum_q + {32'd0, latency_q};
        if (latency_q < least_q) least_q <= latency_q;
        if (latency_q > greatest_q) greatest_q <= latency_q;
      end
    end

    assign clock       = clock_q;
    assign drift       = {{8{drift_q[23]}}, drift_q};
    assign range       = {greatest_q, least_q};
    assign latency_sum = sum_q;
  end else begin : g_no_clock
    assign clock       = '0;
    assign drift       = '0;
    assign range       = '0;
    assign latency_sum = '0;
  end

endmodule

`default_nettype wire
