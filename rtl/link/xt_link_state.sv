// SPDX-License-Identifier: Apache-2.0
//
// State of a link: training, up and down, and signs of life.
//
// States:
//   TRAIN  after reset and after retrain_i. While the input buffer is empty (input_empty_i), a frame leaves in every
//          cycle: Ctrl 1 (train), and Ctrl 2 (train, and I hear you) after a training frame has come. A received
//          Ctrl 2 leads to UP with all sequence numbers 0.
//   UP     Ctrl 0. While the other end still sends Ctrl 2, this end answers with Ctrl 2. CellNack marks the
//          answers, so that answers are not answered. When Ctrl 2 has been silent for 15 cycles, restart_o
//          pulses and packets flow. The buffer at the other end is then empty, and no cell is on its way there.
//          Ctrl 1 means that the other end has restarted.
//   DOWN   64 frames with Ctrl 3 (down) leave, and one for each normal frame that still comes. Only
//          retrain_i leads out. (Retraining from UP begins with these 64 frames too.)
// Causes of DOWN: 1 retry limit reached, 2 the other end went down or restarted, 3 no sign of life for
// 4 * keepalive_i cycles, 4 disable_i.
//
//
// Latency: the state changes in the cycle after an event. restart_o pulses when no training frame has come for 15
// cycles.
// Speed: the choice of the next state by the events, which come from registers.
`default_nettype none

module xt_link_state (
  /// Clock.
  input  logic        clk_i,
  /// Reset, active low, synchronous.
  input  logic        rst_ni,

  /// A frame may begin to leave.
  input  logic        slot_i,
  /// A frame came that is intact.
  input  logic        intact_i,
  /// Of such a frame, a cycle later: the other end trains.
  input  logic        train_event_i,
  /// The other end trains and hears this one.
  input  logic        heard_event_i,
  /// The other end is down.
  input  logic        down_event_i,
  /// The other end is up.
  input  logic        normal_event_i,
  /// A training frame is to be answered.
  input  logic        answer_i,
  /// A normal frame leaves.
  input  logic        sent_i,
  /// A stream has repeated its item too often.
  input  logic        failed_i,
  /// The input buffer is initialised and holds no cell from this link.
  input  logic        input_empty_i,
  /// A cut packet is being completed: training waits.
  input  logic        complete_i,
  /// The replay buffer has not been cleared since the link was UP: training waits, and no new packet starts.
  input  logic        drain_i,
  /// The replay buffer has no room for two packets.
  input  logic        full_i,

  /// A pulse: leave UP or DOWN for TRAIN.
  input  logic        retrain_i,
  /// Go DOWN, and stay there.
  input  logic        disable_i,
  /// Cycles between signs of life; 0: none are sent or expected.
  input  logic [15:0] keepalive_i,
  /// The setting before is not 0.
  input  logic        keeps_alive_i,

  /// 0 TRAIN, 1 UP, 2 DOWN.
  output logic [ 1:0] state_o,
  /// Cause of DOWN: 0 not down, 1 retries, 2 remote, 3 no signal, 4 disabled.
  output logic [ 2:0] cause_o,
  /// The state is UP.
  output logic        up_o,
  /// UP, and packets flow.
  output logic        settled_o,
  /// Training frames leave.
  output logic        train_o,
  /// They say that the other end is heard.
  output logic        heard_o,
  /// A down frame leaves.
  output logic        down_frame_o,
  /// A sign of life is due.
  output logic        keepalive_due_o,
  /// Not UP, and no packet comes that began before hold_o.
  output logic        drains_o,
  /// No new packet may start to this link.
  output logic        hold_o,
  /// Cells from the switch are dropped.
  output logic        down_o,
  /// A pulse: all cells of the buffer at the other end are free.
  output logic        restart_o,
  /// A pulse: training began by retrain_i.
  output logic        retrain_o,
  /// Down frames or a training are pending, or the link trains.
  output logic        active_o
);

  localparam logic [6:0] DownFrames = 7'd64;
  // Until so many are left a packet may come that began before hold_o, by the pipeline of the switch.
  localparam logic [6:0] DrainFrames = 7'd55;

  localparam logic [1:0] Train = 2'd0;
  localparam logic [1:0] Up = 2'd1;
  localparam logic [1:0] Down = 2'd2;

  localparam logic [2:0] CauseNone = 3'd0;
  localparam logic [2:0] CauseRetries = 3'd1;
  localparam logic [2:0] CauseRemote = 3'd2;
  localparam logic [2:0] CauseNoSignal = 3'd3;
  localparam logic [2:0] CauseDisabled = 3'd4;

  logic [1:0] state_q;
  logic       up;
  assign up = state_q == Up;

  // ---------------------------------------------------------------- signs of life
  logic [15:0] quiet_q;  // cycles until one is due
  logic [17:0] silent_q;  // cycles since one came
  logic        silent;

  assign keepalive_due_o = keeps_alive_i & (quiet_q[15:1] == '0);
  assign silent          = keeps_alive_i & (silent_q >= {keepalive_i, 2'b00});

  always_ff @(posedge clk_i) begin
    if (!up || sent_i || answer_i) quiet_q <= keepalive_i;
    else if (quiet_q != '0) quiet_q <= quiet_q - 1'b1;
    if (!up || intact_i || !keeps_alive_i) silent_q <= '0;
    else silent_q <= silent_q + 1'b1;
  end

  // ---------------------------------------------------------------- states
  logic [3:0] ready_q;  // cycles for which training could begin
  logic [3:0] settle_q;  // cycles since the other end was heard training
  logic [6:0] burst_q;  // down frames to be sent
  logic       down_owed_q;  // a down frame for a normal one that came
  logic       retrain_q, retrain, train;

  assign train        = (state_q == Train) & (ready_q == '1);
  assign down_frame_o = (burst_q != '0) | ((state_q == Down) & (normal_event_i | down_owed_q));
  assign drains_o     = ~up & (burst_q <= DrainFrames);
  // A request waits for the last frame of the burst.
  assign retrain      = (retrain_i | retrain_q) & ~disable_i & (up | ((state_q == Down) & (burst_q == '0)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= Train;
      cause_o   <= CauseNone;
      ready_q   <= '0;
      settle_q  <= '0;
      settled_o <= 1'b0;
      burst_q   <= '0;
      down_owed_q <= 1'b0;
      retrain_q <= 1'b0;
      heard_o   <= 1'b0;
      restart_o <= 1'b0;
      retrain_o <= 1'b0;
      down_o    <= 1'b1;
      hold_o    <= 1'b0;
    end else begin
      retrain_q <= (state_q == Down) & (retrain_i | retrain_q) & ~retrain & ~disable_i;
      retrain_o <= retrain;
      if (burst_q != '0 && slot_i) burst_q <= burst_q - 1'b1;
      down_owed_q <= down_frame_o & (burst_q == '0) & ~slot_i;

      if (disable_i) begin
        if (state_q != Down) burst_q <= DownFrames;
        state_q <= Down;
        cause_o <= CauseDisabled;
      end else if (retrain) begin
        if (up) burst_q <= DownFrames;
        state_q <= Train;
        cause_o <= CauseNone;
      end else if (train && heard_event_i) begin
        state_q <= Up;
      end else if (up && (failed_i || down_event_i || train_event_i || silent)) begin
        state_q <= Down;
        burst_q <= DownFrames;
        cause_o <= failed_i ? CauseRetries : (down_event_i || train_event_i) ? CauseRemote : CauseNoSignal;
      end else if (state_q == 2'd3) begin  // only after an upset
        state_q <= Down;
        burst_q <= DownFrames;
      end

      // Once the input buffer has been empty for a while, all cells and credits on their way have arrived.
      if (state_q != Train || !input_empty_i || complete_i || drain_i || burst_q != '0) ready_q <= '0;
      else if (ready_q != '1) ready_q <= ready_q + 1'b1;
      heard_o <= (state_q == Train) & (heard_o | train_event_i | heard_event_i);

      if (!up || answer_i) settle_q <= '0;
      else if (settle_q != '1 && slot_i) settle_q <= settle_q + 1'b1;
      settled_o <= up & (settled_o | (settle_q == '1));
      restart_o <= up & ~settled_o & (settle_q == '1);
      down_o    <= ~(up & settled_o);
      hold_o    <= up ? ~settled_o | full_i : drain_i;
    end
  end

  assign state_o  = state_q;
  assign up_o     = up;
  assign train_o  = train;
  assign active_o = (burst_q != '0) | retrain_q | ((state_q == Train) & (input_empty_i | disable_i));

endmodule

`default_nettype wire
