// SPDX-License-Identifier: Apache-2.0
//
// Physical layer of a link: frames over a few lanes with a clock beside them (source synchronous), in each direction.
// Sent frames belong to clk_i. Received words belong to rx_clk_i and cross by xt_async_fifo, with all events to be
// counted. up_o: both ends receive; up_o falls after 4 words' time without a word.
//
// With Coded each lane carries ten bits of 8b/10b code per cycle for a serialiser. The deserialiser at the other end may
// begin anywhere (xt_phy_code_tx, xt_phy_code_rx). Otherwise each lane finds its words by itself (xt_phy_tx, xt_phy_rx).
//
// Bit errors: the idle words of the other end carry a known sequence. So they are a bit error test whenever
// the link has no frame to send. test_i stops the frames for the test. With loop_i a link trains with itself,
// without the pins.
//
// Latency: that of the sender and the receiver in use, plus that of xt_async_fifo.
// Speed: a sum of the lanes' errors.
`default_nettype none

module xt_phy #(
  /// 1: 8b/10b codes.
  parameter int Coded = 0,
  /// Lanes; 10 with codes, the highest sent first.
  parameter int Lanes = (Coded != 0) ? 10 : 8,
  /// Bits of a frame.
  parameter int FrameBits = 64,
  /// Cycles of a frame.
  localparam int FrameCycles = (Coded != 0) ? (FrameBits + 7) / 8 + 2
      : (FrameBits + Lanes - 1) / ((Lanes > 0) ? Lanes : 1) + 2
) (
  /// Clock.
  input  logic                 clk_i,
  /// Reset, active low, synchronous.
  input  logic                 rst_ni,

  /// Frames to the other end, at least FrameCycles apart.
  input  logic                 tx_valid_i,
  /// Frames to the other end.
  input  logic [FrameBits-1:0] tx_frame_i,
  /// Frames from the other end.
  output logic                 rx_valid_o,
  /// Frames from the other end.
  output logic [FrameBits-1:0] rx_frame_o,

  /// Send idle words only.
  input  logic                 test_i,
  /// Loop: this end receives its own frames, not those of the other end.
  input  logic                 loop_i,
  /// All lanes of this end are locked.
  output logic                 locked_o,
  /// Both ends receive.
  output logic                 up_o,
  /// A pulse: an idle word has come.
  output logic                 idle_o,
  /// Wrong bits of the word, or wrong codes.
  output logic [          7:0] wrong_o,

  /// To the pins.
  output logic [    Lanes-1:0] tx_data_o,
  /// Clock from the other end.
  input  logic                 rx_clk_i,
  /// Bits of that clock.
  input  logic [    Lanes-1:0] rx_data_i
);

  localparam int SilenceBits = $clog2(4 * FrameCycles);

  logic [2:0] lock_q;  // locked at the end of the link's clock, through registers of this one
  logic ready, word_valid, word_frame, word_ready;
  logic [FrameBits-1:0] word;
  logic [7:0] word_wrong;
  logic remote_q;  // the other end receives
  logic [SilenceBits-1:0] silence_q;

  if (Coded != 0 && (Lanes != 10 || FrameBits < 9)) begin : g_illegal
    xt_phy_has_ten_lanes_for_codes_and_frames_of_two_bytes i_illegal ();
  end
  if (Lanes < 1) begin : g_illegal_lanes
    xt_phy_has_a_lane_at_least i_illegal ();
  end

  if (Coded != 0) begin : g_tx_codes
    xt_phy_code_tx #(
      .FrameBits(FrameBits)
    ) i_tx (
      .clk_i,
      .rst_ni,
      .frame_valid_i(tx_valid_i),
      .frame_i      (tx_frame_i),
      .ready_i      (ready),
      .up_i         (up_o & ~test_i & ~loop_i),
      .code_o       (tx_data_o)
    );
  end else if (Lanes > 0) begin : g_tx_lanes
    xt_phy_tx #(
      .Lanes    (Lanes),
      .FrameBits(FrameBits)
    ) i_tx (
      .clk_i,
      .rst_ni,
      .frame_valid_i(tx_valid_i),
      .frame_i      (tx_frame_i),
      .ready_i      (ready),
      .up_i         (up_o & ~test_i & ~loop_i),
      .data_o       (tx_data_o)
    );
  end

  // ---------------------------------------------------------------- the link's clock
  // Asynchronous on, synchronous off: the clock may not run.
  // verilator lint_off SYNCASYNCNET
  logic [1:0] rx_rst_q;
  always_ff @(posedge rx_clk_i or negedge rst_ni) begin
    if (!rst_ni) rx_rst_q <= '0;
    else rx_rst_q <= {rx_rst_q[0], 1'b1};
  end
  // verilator lint_on SYNCASYNCNET

  logic rx_locked, rx_valid, rx_frame_valid, rx_ready, unused_room;
  logic [FrameBits-1:0] rx_frame;
  logic [7:0] rx_wrong;

  if (Coded != 0) begin : g_rx_codes
    xt_phy_code_rx #(
      .FrameBits(FrameBits)
    ) i_rx (
      .clk_i        (rx_clk_i),
      .rst_ni       (rx_rst_q[1]),
      .bits_i       (rx_data_i),
      .locked_o     (rx_locked),
      .valid_o      (rx_valid),
      .frame_valid_o(rx_frame_valid),
      .frame_o      (rx_frame),
      .ready_o      (rx_ready),
      .wrong_o      (rx_wrong)
    );
  end else if (Lanes > 0) begin : g_rx_lanes
    xt_phy_rx #(
      .Lanes    (Lanes),
      .FrameBits(FrameBits)
    ) i_rx (
      .clk_i        (rx_clk_i),
      .rst_ni       (rx_rst_q[1]),
      .data_i       (rx_data_i),
      .locked_o     (rx_locked),
      .valid_o      (rx_valid),
      .frame_valid_o(rx_frame_valid),
      .frame_o      (rx_frame),
      .ready_o      (rx_ready),
      .wrong_o      (rx_wrong)
    );
  end

  // Emptied faster than words come.
  xt_async_fifo #(
    .Width(FrameBits + 10),
    .Depth(4)
  ) i_fifo (
    .write_clk_i (rx_clk_i),
    .write_rst_ni(rx_rst_q[1]),
    .valid_i     (rx_valid),
    .ready_o     (unused_room),
    .word_i      ({rx_wrong, rx_ready, rx_frame_valid, rx_frame}),
    .read_clk_i  (clk_i),
    .read_rst_ni (rst_ni),
    .valid_o     (word_valid),
    .ready_i     (1'b1),
    .word_o      ({word_wrong, word_ready, word_frame, word})
  );

  // ---------------------------------------------------------------- this clock
  // While its clock rests a receiver keeps its lock in a reset. Without a word from after the reset the lock does not count.
  logic silent;
  assign silent   = silence_q == '1;
  assign ready    = lock_q[2] & ~silent;
  assign locked_o = ready;
  assign up_o     = ready & remote_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      lock_q     <= '0;
      remote_q   <= 1'b0;
      silence_q  <= '1;
      rx_valid_o <= 1'b0;
      idle_o     <= 1'b0;
    end else begin
      lock_q <= {lock_q[1:0], rx_locked};
      if (word_valid) remote_q <= word_ready;
      else if (silent) remote_q <= 1'b0;
      if (word_valid) silence_q <= '0;
      else if (!silent) silence_q <= silence_q + 1'b1;
      rx_valid_o <= loop_i ? tx_valid_i : word_valid & word_frame;
      idle_o     <= word_valid & ~word_frame;
    end
    rx_frame_o <= loop_i ? tx_frame_i : word;
    if (word_valid) wrong_o <= word_wrong;
  end

endmodule

`default_nettype wire
