// SPDX-License-Identifier: Apache-2.0
//
// Shares one bridge between several front ends. The owner is the front end whose host has begun a session last. A host
// begins with INFO, so a flag and INFO's kind from another front end make that front end the owner. The bridge then
// discards the frame under reception, as at a restart, and speaks to the new owner. The bytes of the others are taken and
// dropped, so no front end waits. A host that has lost the bridge times out, and regains the bridge by a new session.
//
// If two begin in the same cycle the lower number goes first, and then the other gets the bridge.
//
// Latency: none, but a cycle for the byte with which an owner begins. A byte per cycle.
`default_nettype none

module xt_front_ends #(
  /// Front ends; number 0 has the bridge after reset.
  parameter int Fronts = 2,
  /// Bits of the number of one.
  localparam int FrontBits = (Fronts > 1) ? $clog2(Fronts) : 1
) (
  /// Clock.
  input  logic                clk_i,
  /// Reset, active low, synchronous.
  input  logic                rst_ni,

  /// Per front end: the host begins a session.
  input  logic [  Fronts-1:0] restart_i,
  /// Per front end: a byte from the host is valid.
  input  logic [  Fronts-1:0] rx_valid_i,
  /// Per front end: the byte is taken.
  output logic [  Fronts-1:0] rx_ready_o,
  /// Per front end: the byte.
  input  logic [8*Fronts-1:0] rx_byte_i,
  /// Per front end: a byte to the host is valid.
  output logic [  Fronts-1:0] tx_valid_o,
  /// Per front end: the byte is taken.
  input  logic [  Fronts-1:0] tx_ready_i,
  /// The byte to the host, common to all.
  output logic [         7:0] tx_byte_o,

  /// Bridge: restart.
  output logic                restart_o,
  /// Bridge: a byte from the host.
  output logic                rx_valid_o,
  /// Bridge: the byte is taken.
  input  logic                rx_ready_i,
  /// Bridge: the byte.
  output logic [         7:0] rx_byte_o,
  /// Bridge: a byte to the host.
  input  logic                tx_valid_i,
  /// Bridge: the byte is taken.
  output logic                tx_ready_o,
  /// Bridge: the byte.
  input  logic [         7:0] tx_byte_i
);

  logic [FrontBits-1:0] owner;
  logic change;  // the bridge gets another owner: a cycle without bytes from the host

  assign restart_o  = change | restart_i[owner];
  assign rx_valid_o = rx_valid_i[owner] & ~change;
  assign rx_byte_o  = rx_byte_i[8*owner+:8];
  assign tx_ready_o = tx_ready_i[owner];
  assign tx_byte_o  = tx_byte_i;

  if (Fronts == 1) begin : g_one
    assign owner      = '0;
    assign change     = 1'b0;
    assign rx_ready_o = rx_ready_i;
    assign tx_valid_o = tx_valid_i;
    // verilator lint_off UNUSEDSIGNAL
    wire unused = clk_i ^ rst_ni;
    // verilator lint_on UNUSEDSIGNAL
  end else begin : g_several
    logic [Fronts-1:0] flag_q;  // the byte before was a flag
    logic [Fronts-1:0] begins;  // not the owner, and begins a session; its byte waits for the ownership
    logic [FrontBits-1:0] owner_q, owner_d;

    assign owner  = owner_q;
    assign change = |begins;

    for (genvar f = 0; f < Fronts; f++) begin : g_front
      logic owns;
      assign owns          = owner_q == FrontBits'(f);
      assign begins[f]     = !owns && flag_q[f] && rx_valid_i[f] && rx_byte_i[8*f+:8] == xt_bridge_pkg::KindInfo[7:0];
      assign rx_ready_o[f] = owns ? rx_ready_i & ~change : ~begins[f];
      assign tx_valid_o[f] = tx_valid_i & owns;
    end

    always_comb begin
      owner_d = owner_q;
      for (int f = Fronts - 1; f >= 0; f--) if (begins[f]) owner_d = FrontBits'(f);
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        owner_q <= '0;
        flag_q  <= '0;
      end else begin
        owner_q <= owner_d;
        for (int f = 0; f < Fronts; f++) begin
          if (rx_valid_i[f] && rx_ready_o[f]) flag_q[f] <= rx_byte_i[8*f+:8] == xt_bridge_pkg::Flag[7:0];
          // Each beginning counts once, so two of them do not take the bridge from each other for ever.
          else if (begins[f] && owner_d == FrontBits'(f)) flag_q[f] <= 1'b0;
        end
      end
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      front_ends_drop_nothing_of_the_owner :
      assert (!(rx_valid_i[owner] && rx_ready_o[owner]) || (rx_valid_o && rx_ready_i));
      front_ends_tell_the_owner_only :
      assert ((tx_valid_o & ~(Fronts'(1) << owner)) == '0);
    end
  end
`endif

endmodule

`default_nettype wire
