// SPDX-License-Identifier: Apache-2.0
//
// From the PE's AXI4-Stream into the switch: one beat per cell, the header first. As on any link, a packet starts when
// the input buffer has credit for the whole packet. The packet takes VC 0 of the traffic class in its header.
//
// The header's length decides where a packet ends. If tlast comes before this end, zeros with poison are sent for the
// missing cells. If tlast does not come with the last cell, this cell has poison, and all beats up to tlast are discarded.
// A packet of a traffic class that does not exist, or of more cells than the longest packet, is discarded. Each case
// counts as a framing error, and no port hangs.
// Profiles without a link layer have no poison: there only the counter tells.
//
// Once a packet has begun the PE owes the rest of the packet: a pause holds the outputs on the packet's way.
// xt_packet_fifo before this module keeps a packet until all of the packet has come.
//
// Latency: 2 cycles from the beat to the switch's input pin. One cell per cycle.
// Speed: the header in its register selects the credit_ok flag.
`default_nettype none

module xt_nic_inject #(
  /// Cells that may be sent uncounted between a decision and its effect.
  localparam int Margin = 5
) (
  /// Clock.
  input  logic                          clk_i,
  /// Reset, active low, synchronous.
  input  logic                          rst_ni,
  /// The switch is initialised.
  input  logic                          ready_i,
  /// Start no packet.
  input  logic                          quiesce_i,
  /// The lookup is not that of lookahead_dest_o; only where a lookup takes one cycle.
  input  logic                          unrouted_i,
  /// Put the time into the header: as many low bits as the header has room for.
  input  logic                          stamp_i,
  /// The time.
  input  logic [                  15:0] time_i,

  /// AXI4-Stream.
  input  logic                          tvalid_i,
  /// AXI4-Stream.
  output logic                          tready_o,
  /// AXI4-Stream.
  input  logic [  xt_pkg::CellBits-1:0] tdata_i,
  /// AXI4-Stream.
  input  logic                          tlast_i,

  /// A cell goes to the switch.
  output logic                          valid_o,
  /// VC of the cell.
  output logic [    xt_pkg::VcBits-1:0] vc_o,
  /// The cell.
  output logic [  xt_pkg::CellBits-1:0] cell_o,
  /// tlast did not match the header's length.
  output logic                          poison_o,
  /// VC of the cell that goes to the switch LookupCycles from now at the earliest.
  output logic [    xt_pkg::VcBits-1:0] lookahead_vc_o,
  /// Destination in that cell, if the cell is a header.
  output logic [    xt_pkg::IdBits-1:0] lookahead_dest_o,
  /// Bypass: look up the next head. Timing: arrives late.
  output logic                          lookahead_other_o,
  /// VC of the beat at tdata_i, if the beat is a header.
  output logic [    xt_pkg::VcBits-1:0] lookahead_other_vc_o,
  /// Destination in that beat.
  output logic [    xt_pkg::IdBits-1:0] lookahead_other_dest_o,
  /// A cell was freed in the input buffer.
  input  logic                          credit_i,
  /// VC of the credit.
  input  logic [    xt_pkg::VcBits-1:0] credit_vc_i,

  /// A pulse: the tlast of a packet did not match the header's length.
  output logic                          framing_error_o,
  /// A packet is being sent.
  output logic                          sending_o,
  /// Something is in flight inside.
  output logic                          active_o
);

  localparam int ClassCount = xt_pkg::LengthClasses;
  localparam int CreditOkBits = ((ClassCount > 1) ? $clog2(ClassCount) : 0) + 1;
  // The one VC that is used here shares the buffer with none.
  localparam int Reserved = (xt_pkg::Tcs == 1 && xt_pkg::Bubble == 0) ? xt_pkg::BufferCells : xt_pkg::ReservedCells;

  // The beat that waits.
  logic                        beat_q;
  logic [xt_pkg::CellBits-1:0] data_q;
  logic                        last_q;

  logic                        in_packet_q;  // the header has gone
  logic                        pad_q;  // tlast came before the end: send zeros
  logic                        discard_q;  // drop beats up to tlast
  logic [xt_pkg::LenBits-1:0]  left_q;  // cells still to send
  logic [ xt_pkg::VcBits-1:0]  vc_q;

  logic [xt_pkg::LenBits-1:0]  len;
  logic [ xt_pkg::TcBits-1:0]  tc;
  logic                        illegal, credit_ok, send, consume, loads, start, ends, mismatch, overlong;
  logic [xt_pkg::Tcs*CreditOkBits-1:0] credit_ok_of_tc;
  logic [          CreditOkBits-1:0] class_d, class_q;  // length class of the beat, from 1 on, if the beat is a header
  logic [ xt_pkg::VcBits-1:0]  start_vc;
  logic [ xt_pkg::TcBits-1:0]  credit_tc;
  logic                        credits_busy, unused_outstanding, unused_crowded;
  logic [$clog2(xt_pkg::BufferCells+1)-1:0] unused_used;
  logic [xt_pkg::Tcs*$clog2(xt_pkg::BufferCells+1)-1:0] unused_used_of;

  // The latency histogram of the receiving NIC takes the time out of the header.
  logic [xt_pkg::CellBits-1:0] stamped;
  if (xt_pkg::StampBits != 0) begin : g_stamp
    always_comb begin
      stamped = data_q;
      for (int b = 0; b < xt_pkg::StampBits; b++) stamped[xt_pkg::HdrStampLsb+b] = time_i[b];
    end
  end else begin : g_no_stamp
    assign stamped = data_q;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = ^time_i;
    // verilator lint_on UNUSEDSIGNAL
  end

  // A lookup of 2 cycles starts while the beat goes into data_q, and repeats while the beat waits there. A lookup of
  // one cycle starts in data_q only.
  assign lookahead_dest_o       = data_q[xt_pkg::HdrDestLsb+:xt_pkg::IdBits];
  assign lookahead_other_dest_o = tdata_i[xt_pkg::HdrDestLsb+:xt_pkg::IdBits];
  assign lookahead_other_o      = xt_pkg::LookupCycles == 2 && loads;
  always @* begin
    lookahead_vc_o       = '0;
    lookahead_other_vc_o = '0;
    for (int t = 0; t < xt_pkg::Tcs; t++) begin
      if (tc == t[xt_pkg::TcBits-1:0]) lookahead_vc_o = xt_pkg::TcFirstVc[t*8+:xt_pkg::VcBits];
      if (tdata_i[xt_pkg::HdrTcLsb+:xt_pkg::TcBits] == t[xt_pkg::TcBits-1:0])
        lookahead_other_vc_o = xt_pkg::TcFirstVc[t*8+:xt_pkg::VcBits];
    end
  end

  assign len = data_q[xt_pkg::HdrLenLsb+:xt_pkg::LenBits];
  assign tc  = data_q[xt_pkg::HdrTcLsb+:xt_pkg::TcBits];
  always @* begin
    credit_ok = 1'b0;
    class_d   = '0;
    // The shortest class that holds the packet.
    for (int c = xt_pkg::PacketClasses; c > 0; c--) begin
      if (32'(tdata_i[xt_pkg::HdrLenLsb+:xt_pkg::LenBits]) < 32'(xt_pkg::LengthClass[(c-1)*8+:8])) class_d = CreditOkBits'(c);
    end
    start_vc  = '0;
    credit_tc = '0;
    for (int t = 0; t < xt_pkg::Tcs; t++) begin
      if (tc == t[xt_pkg::TcBits-1:0]) begin
        start_vc  = xt_pkg::TcFirstVc[t*8+:xt_pkg::VcBits];
        credit_ok = class_q != '0 && credit_ok_of_tc[t*CreditOkBits+:CreditOkBits] >= class_q;
      end
      if (credit_vc_i == xt_pkg::TcFirstVc[t*8+:xt_pkg::VcBits]) credit_tc = t[xt_pkg::TcBits-1:0];
    end
  end

  // A header whose traffic class or length does not exist: no credit ever comes for it.
  assign illegal  = beat_q & ~in_packet_q & ~discard_q & (32'(tc) >= xt_pkg::Tcs || 32'(len) >= xt_pkg::PacketCells);
  assign start    = beat_q & ~in_packet_q & ~discard_q & ~illegal & credit_ok & ~quiesce_i & ~unrouted_i;
  assign send     = start | (in_packet_q & (pad_q | beat_q));
  assign ends     = in_packet_q ? (left_q == xt_pkg::LenBits'(1)) : (len == '0);
  assign consume  = start | illegal | (beat_q & (discard_q | (in_packet_q & ~pad_q)));
  assign mismatch = illegal | (send & ~pad_q & (last_q != ends));
  assign overlong = ~last_q & (illegal | (send & ~pad_q & ends));

  // Without a beat nobody looks at data_q, so the register loads whatever comes. tready_o and tvalid_i would only arrive later.
  assign loads    = ~beat_q | consume;
  assign tready_o = ready_i & loads;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q           <= 1'b0;
      in_packet_q      <= 1'b0;
      pad_q            <= 1'b0;
      discard_q        <= 1'b0;
      valid_o          <= 1'b0;
      framing_error_o  <= 1'b0;
    end else begin
      if (tready_o) beat_q <= tvalid_i;
      else if (consume) beat_q <= 1'b0;

      valid_o <= send;
      if (send) begin
        in_packet_q <= ~ends;
        pad_q       <= ~ends & (pad_q | last_q);
      end
      if (overlong) discard_q <= 1'b1;
      else if (beat_q && last_q) discard_q <= 1'b0;
      framing_error_o <= mismatch;
    end
    if (loads) begin
      data_q  <= tdata_i;
      last_q  <= tlast_i;
      class_q <= class_d;
    end
    // The register loads in every cycle: `send` arrives late and would have to reach all bits.
    cell_o   <= pad_q ? '0 : (stamp_i && !in_packet_q) ? stamped : data_q;
    poison_o <= pad_q | overlong;
    if (send) begin
      vc_o   <= in_packet_q ? vc_q : start_vc;
      left_q <= in_packet_q ? left_q - 1'b1 : len;
      if (!in_packet_q) vc_q <= start_vc;
    end
  end

  xt_credits #(
    .Vcs        (xt_pkg::Tcs),
    .Reserved   (Reserved),
    .Shared     ((xt_pkg::Bubble != 0) ? 0 : xt_pkg::BufferCells - xt_pkg::Tcs * Reserved),
    .LenBits    (xt_pkg::LenBits),
    .Classes    (ClassCount),
    .LengthClass(xt_pkg::LengthClass),
    .Sums       (xt_pkg::CreditSums != 0),
    .Margin     (Margin),
    .CountBits  ($clog2(xt_pkg::BufferCells + 1))
  ) i_credits (
    .clk_i,
    .rst_ni,
    .restart_i    (1'b0),
    .down_i       (1'b0),
    .room_i       (16'd0),
    .consume_i    (start),
    .consume_vc_i (tc),
    .consume_len_i(len),
    .credit_i,
    .credit_vc_i  (credit_tc),
    .credit_ok_o  (credit_ok_of_tc),
    .read_vc_i    ({xt_pkg::TcBits{1'b0}}),
    .read_used_o  (unused_used),
    .used_o       (unused_used_of),
    .outstanding_o(unused_outstanding),
    .crowded_o    (unused_crowded),
    .busy_o       (credits_busy)
  );

  assign sending_o = in_packet_q | valid_o;
  assign active_o = tvalid_i | beat_q | in_packet_q | discard_q | valid_o | credits_busy | credit_i;

endmodule

`default_nettype wire
