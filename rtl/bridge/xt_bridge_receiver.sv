// SPDX-License-Identifier: Apache-2.0
//
// Turns bytes from the host into requests: finds frames between flags, removes the escapes, and checks the CRC. One
// memory holds good frames in two slots, so that one frame is received while the other is carried out.
// All other input is dropped and counted.
//
// Latency: 2 cycles from the last flag of a frame to valid_o. A byte per cycle while a slot is free; the cycle behind a
// second flag in a row is lost.
// Speed: one byte of CRC.
`default_nettype none

module xt_bridge_receiver #(
  /// Words of payload that a slot holds.
  parameter int Words = 64,
  /// Words of a cell.
  parameter int CellWords = 1,
  /// Bits of a number of words.
  localparam int CountBits = $clog2(Words + 3),
  /// Bits of the index of a word.
  localparam int IndexBits = $clog2(Words)
) (
  /// Clock.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,
  /// The host begins a session: discard the frame under reception.
  input  logic                 restart_i,

  /// A byte comes.
  input  logic                 valid_i,
  /// The offered item is taken.
  output logic                 ready_o,
  /// The byte.
  input  logic [          7:0] byte_i,

  /// A request is ready; its fields stay until the request is taken.
  output logic                 valid_o,
  /// Header, first byte lowest.
  output logic [         63:0] header_o,
  /// Words of the payload.
  output logic [CountBits-1:0] words_o,
  /// The payload words are whole cells, at least one.
  output logic                 cells_o,
  /// The request is done.
  input  logic                 take_i,
  /// Word to read.
  input  logic [IndexBits-1:0] index_i,
  /// The payload's word addressed in the previous cycle.
  output logic [         31:0] word_o,

  /// Frames dropped since reset.
  output logic [         15:0] dropped_o
);

  localparam int PhaseBits = (CellWords > 1) ? $clog2(CellWords) : 1;

  if (Words != (32'd1 << IndexBits)) begin : g_illegal
    xt_bridge_receiver_words_must_be_a_power_of_two i_illegal ();
  end

  // ---------------------------------------------------------------- bytes
  logic        byte_q, flag_q, escape_q, changed_q;  // a byte of a frame; a flag; the byte before was an escape
  logic [ 7:0] data_q;
  logic        take;
  logic [ 1:0] full_q;  // slots that hold a request
  logic        fill_q, work_q;  // slot under reception; slot under execution

  // Behind a flag the ended frame may yet fill this slot: then the other slot has to be free.
  assign ready_o = ~full_q[fill_q] & ~(flag_q & full_q[~fill_q]);
  assign take    = valid_i & ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      byte_q    <= 1'b0;
      flag_q    <= 1'b0;
      escape_q  <= 1'b0;
      changed_q <= 1'b0;
    end else begin
      byte_q <= take && byte_i != xt_bridge_pkg::Flag[7:0] && (changed_q || byte_i != xt_bridge_pkg::Escape[7:0]);
      flag_q <= take && byte_i == xt_bridge_pkg::Flag[7:0];
      if (take) begin
        changed_q <= !changed_q && byte_i == xt_bridge_pkg::Escape[7:0];
        // An escape before a flag spoils the frame.
        escape_q  <= changed_q && byte_i == xt_bridge_pkg::Flag[7:0];
      end
    end
    if (take) data_q <= byte_i ^ (changed_q ? xt_bridge_pkg::EscapeMask[7:0] : 8'h00);
  end

  // ---------------------------------------------------------------- frames
  logic [         31:0] crc_q, crc;
  logic [         23:0] low_q;  // bytes of a word so far
  logic [          1:0] place_q;  // of the byte in its word
  logic [CountBits-1:0] count_q;  // words, no more than Words + 3 counted
  logic [CountBits-1:0] payload_q;  // of these, sure to be payload
  logic [PhaseBits-1:0] phase_q;  // of the payload's words in a cell
  logic                 overlong_q;
  logic [         31:0] word;
  logic                 whole, good, some, store;

  xt_bridge_crc i_crc (
    .crc_i (crc_q),
    .byte_i(data_q),
    .crc_o (crc)
  );

  assign word  = {data_q, low_q};
  assign whole = byte_q && place_q == 2'd3;
  // Three words are header and CRC. Of the words after the header the last will have been the CRC.
  assign good  = !overlong_q && !escape_q && place_q == 2'd0 && count_q >= CountBits'(3)
              && crc_q == xt_bridge_pkg::CrcResidue;
  assign some  = overlong_q || escape_q || place_q != 2'd0 || count_q != '0;
  assign store = whole && count_q >= CountBits'(2) && count_q < CountBits'(Words + 2);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i || flag_q) begin
      crc_q      <= '1;
      place_q    <= '0;
      count_q    <= '0;
      payload_q  <= '0;
      phase_q    <= '0;
      overlong_q <= 1'b0;
    end else if (byte_q) begin
      crc_q   <= crc;
      place_q <= place_q + 1'b1;
      if (whole) begin
        if (count_q == CountBits'(Words + 3)) overlong_q <= 1'b1;
        else count_q <= count_q + 1'b1;
        if (count_q >= CountBits'(3)) begin
          payload_q <= payload_q + 1'b1;
          phase_q   <= (phase_q == PhaseBits'(CellWords - 1)) ? '0 : phase_q + 1'b1;
        end
      end
    end
    if (byte_q) low_q <= {data_q, low_q[23:8]};
  end

  // ---------------------------------------------------------------- slots
  logic [         63:0] header_q [2];
  logic [CountBits-1:0] words_q  [2];
  logic                 cells_q  [2];
  logic                 end_frame;

  assign end_frame = flag_q && good && !restart_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q    <= '0;
      fill_q    <= 1'b0;
      work_q    <= 1'b0;
      dropped_o <= '0;
    end else begin
      if (end_frame) begin
        full_q[fill_q] <= 1'b1;
        fill_q         <= ~fill_q;
      end
      if (take_i) begin
        full_q[work_q] <= 1'b0;
        work_q         <= ~work_q;
      end else if (!full_q[work_q]) begin
        work_q <= fill_q;  // differs only after an upset
      end
      if (flag_q && some && !good) dropped_o <= dropped_o + 1'b1;
    end
    if (whole && count_q == '0) header_q[fill_q][31:0] <= word;
    if (whole && count_q == CountBits'(1)) header_q[fill_q][63:32] <= word;
    if (end_frame) begin
      words_q[fill_q] <= payload_q;
      cells_q[fill_q] <= payload_q != '0 && phase_q == '0;
    end
  end

  assign valid_o  = full_q[work_q];
  assign header_o = header_q[work_q];
  assign words_o  = words_q[work_q];
  assign cells_o  = cells_q[work_q];

  logic [IndexBits-1:0] place;
  assign place = count_q[IndexBits-1:0] - IndexBits'(2);

  xt_ram_1r1w #(
    .Width(32),
    .Depth(2 * Words)
  ) i_payload (
    .clk_i,
    .we_i   (store),
    .waddr_i({fill_q, place}),
    .wdata_i(word),
    .raddr_i({work_q, index_i}),
    .rdata_o(word_o)
  );

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      receiver_never_fills_a_full_slot :
      assert (!(store || end_frame) || !full_q[fill_q]);
      receiver_gives_only_what_is_there :
      assert (!take_i || full_q[work_q]);
    end
  end
`endif

endmodule

`default_nettype wire
