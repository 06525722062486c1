// SPDX-License-Identifier: Apache-2.0
//
// A link from pins to pins by Icarus Verilog: PLL, phase stepper and pins of the sender, wires, and a receiver. Lanes come
// `skew` ps after their clock, and each of their edges up to `jitter` ps later. Prints for each step of the clock's phase,
// from half a period before to half a period after, the idle words that came and their wrong bits; then the step at the end.
`default_nettype none
`timescale 1ps / 1ps

module clock_phase;
  localparam int Steps = 32;
  localparam int StepPs = 800;
  localparam int Lanes = 3;
  localparam int FrameBits = 40;

  int skew, jitter;
  logic oscillator = 1'b0, rst_n = 1'b0, b_rst_n = 1'b0;
  always #(StepPs) oscillator = ~oscillator;

  logic clk, clk90, unused_second, unused_third, locked, step, back;
  logic [7:0] steps, at, target = '0;

  xt_pll_ecp5 #(.ModelSteps(Steps)) i_pll (
    .clk_i(oscillator), .clk_o(clk), .clk90_o(clk90), .second_o(unused_second), .third_o(unused_third),
    .phase_steps_o(steps), .phase_step_i(step), .phase_back_i(back), .locked_o(locked)
  );
  xt_phase_stepper i_stepper (
    .clk_i(clk), .locked_i(locked & rst_n), .target_i(target), .at_o(at), .step_o(step), .back_o(back)
  );

  // ---------------------------------------------------------------- ends
  logic [2*Lanes-1:0] a_tx, b_rx, unused_tx, unused_rx;
  logic [Lanes-1:0] lanes, late, unused_lanes;
  logic link_clk, late_clk, rx_clk, unused_clk, unused_link_clk;
  logic idle, locked_lanes, unused_valid, unused_up, unused_idle, unused_valid_a, unused_locked, unused_up_a;
  logic [7:0] wrong, unused_wrong;
  logic [FrameBits-1:0] unused_frame, unused_frame_a;

  xt_phy #(.Lanes(2 * Lanes), .FrameBits(FrameBits)) i_a (
    .clk_i(clk), .rst_ni(rst_n), .tx_valid_i(1'b0), .tx_frame_i({FrameBits{1'b0}}), .rx_valid_o(unused_valid_a),
    .rx_frame_o(unused_frame_a), .test_i(1'b1), .loop_i(1'b0), .locked_o(unused_locked), .up_o(unused_up_a),
    .idle_o(unused_idle), .wrong_o(unused_wrong), .tx_data_o(a_tx), .rx_clk_i(1'b0), .rx_data_i({2 * Lanes{1'b0}})
  );
  xt_phy_pins #(.Lanes(Lanes)) i_a_pins (
    .clk_i(clk), .clk90_i(clk90), .data_i(a_tx), .clk_o(unused_clk), .data_o(unused_rx), .pin_clk_o(link_clk),
    .pin_data_o(lanes), .pin_clk_i(1'b0), .pin_data_i({Lanes{1'b0}})
  );
  xt_phy_pins #(.Lanes(Lanes)) i_b_pins (
    .clk_i(clk), .clk90_i(1'b0), .data_i({2 * Lanes{1'b0}}), .clk_o(rx_clk), .data_o(b_rx), .pin_clk_o(unused_link_clk),
    .pin_data_o(unused_lanes), .pin_clk_i(late_clk), .pin_data_i(late)
  );
  xt_phy #(.Lanes(2 * Lanes), .FrameBits(FrameBits)) i_b (
    .clk_i(clk), .rst_ni(b_rst_n), .tx_valid_i(1'b0), .tx_frame_i({FrameBits{1'b0}}), .rx_valid_o(unused_valid),
    .rx_frame_o(unused_frame), .test_i(1'b1), .loop_i(1'b0), .locked_o(locked_lanes), .up_o(unused_up), .idle_o(idle),
    .wrong_o(wrong), .tx_data_o(unused_tx), .rx_clk_i(rx_clk), .rx_data_i(b_rx)
  );

  // ---------------------------------------------------------------- wires
  // 10 ns long: a skew may be negative. A lane may change and change back within a picosecond.
  always @(link_clk) late_clk <= #10000 link_clk;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_wire
      always @(lanes[l]) begin
        #1 late[l] <= #(9999 + skew + $urandom_range(jitter)) lanes[l];
      end
    end
  endgenerate

  // ---------------------------------------------------------------- scan
  int words = 0, errors = 0;
  always @(posedge clk) if (idle) begin
    words  = words + 1;
    errors = errors + wrong;
  end

  task automatic go(input int to);
    target = to[7:0];
    repeat (40 * 2 * Steps) if (at != target || step) @(posedge clk);
    // The receiver finds its lanes anew: one that has slipped by a bit stays locked for some hundred words.
    b_rst_n = 1'b0;
    repeat (8) @(posedge clk);
    b_rst_n = 1'b1;
    repeat (1200) @(posedge clk);
  endtask

  task automatic count(input int to);
    go(to);
    words  = 0;
    errors = 0;
    repeat (600) @(posedge clk);
    $display("step %0d words %0d wrong %0d", to, words, errors);
  endtask

  initial begin
    if (!$value$plusargs("skew=%d", skew)) skew = 0;
    if (!$value$plusargs("jitter=%d", jitter)) jitter = 0;
    #100000 rst_n = 1'b1;
    repeat (1200) @(posedge clk);
    for (int to = 0; to <= Steps / 2; to++) count(to);
    for (int to = -1; to >= -Steps / 2; to--) count(to);
    // Outwards again, where the lines end must agree with those above.
    count(0);
    $display("steps %0d at %0d", steps, $signed(at));
    $finish;
  end
endmodule

`default_nettype wire
