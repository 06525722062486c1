// SPDX-License-Identifier: Apache-2.0
//
// Front end: bytes of the bridge over a native USB device core. The core has its own clock, 60 MHz at high speed, 12 MHz at full
// speed. A FIFO in each direction leads into the clock of the bridge. core.py generates the core.
//
// The core must know the last byte of a transfer to the host. So a byte waits until another byte follows or Hold cycles pass
// without one. A short or empty packet then ends the transfer.
`default_nettype none

// A simulation may define a stand-in's name (sim/standins).
`ifndef XT_USB_CORE
`define XT_USB_CORE xt_usb_core
`endif

module xt_usb #(
  /// Cycles of the core's clock without a byte that end a transfer to the host, at least 1.
  parameter int Hold = 32,
  /// Bits of a number of cycles.
  localparam int HoldBits = $clog2(Hold + 1)
) (
  /// Serial number of the board; constant.
  input  logic [63:0] serial_i,

  /// Clock of the core.
  input  logic        usb_clk_i,
  /// Reset of the core, active low, synchronous.
  input  logic        usb_rst_ni,
  /// UTMI: received byte.
  input  logic [ 7:0] utmi_rx_data_i,
  /// UTMI: a packet is being received.
  input  logic        utmi_rx_active_i,
  /// UTMI: rx_data is a byte of the packet.
  input  logic        utmi_rx_valid_i,
  /// UTMI: byte to send.
  output logic [ 7:0] utmi_tx_data_o,
  /// UTMI: a packet is being sent.
  output logic        utmi_tx_valid_o,
  /// UTMI: the byte to send is taken.
  input  logic        utmi_tx_ready_i,
  /// UTMI: state of the lines.
  input  logic [ 1:0] utmi_line_state_i,
  /// UTMI: speed.
  output logic [ 1:0] utmi_xcvr_select_o,
  /// UTMI: 0 normal; 1 drive nothing; 2 no bit stuffing, for a chirp.
  output logic [ 1:0] utmi_op_mode_o,
  /// UTMI: termination.
  output logic        utmi_term_select_o,
  /// The PHY cannot take a packet to send.
  input  logic        utmi_busy_i,

  /// Clock of the bridge.
  input  logic        clk_i,
  /// Reset of the bridge, active low, synchronous.
  input  logic        rst_ni,
  /// The host has reset the bus or set the configuration: a pulse.
  output logic        restart_o,
  /// A byte from the host is valid.
  output logic        rx_valid_o,
  /// The byte from the host is taken.
  input  logic        rx_ready_i,
  /// The byte from the host.
  output logic [ 7:0] rx_byte_o,
  /// A byte to the host is valid.
  input  logic        tx_valid_i,
  /// The byte to the host is taken.
  output logic        tx_ready_o,
  /// The byte to the host.
  input  logic [ 7:0] tx_byte_i
);

  if (Hold < 1) begin : g_illegal
    xt_usb_holds_for_a_cycle_at_least i_illegal ();
  end

  // ---------------------------------------------------------------- core
  logic out_valid, out_ready, in_valid, in_ready, in_last, restart;
  logic [7:0] out_byte, in_byte;

  `XT_USB_CORE i_core (
    .usb_clk    (usb_clk_i),
    .usb_rst    (!usb_rst_ni),
    .serial     (serial_i),
    .rx_data    (utmi_rx_data_i),
    .rx_active  (utmi_rx_active_i),
    .rx_valid   (utmi_rx_valid_i),
    .tx_ready   (utmi_tx_ready_i),
    .line_state (utmi_line_state_i),
    .tx_data    (utmi_tx_data_o),
    .tx_valid   (utmi_tx_valid_o),
    .xcvr_select(utmi_xcvr_select_o),
    .op_mode    (utmi_op_mode_o),
    .term_select(utmi_term_select_o),
    .busy       (utmi_busy_i),
    .out_valid,
    .out_ready,
    .out_byte,
    .in_valid,
    .in_ready,
    .in_byte,
    .in_last,
    .restart
  );

  // ---------------------------------------------------------------- from the host
  xt_async_fifo #(
    .Width(8),
    .Depth(16)
  ) i_from_host (
    .write_clk_i (usb_clk_i),
    .write_rst_ni(usb_rst_ni),
    .valid_i     (out_valid),
    .ready_o     (out_ready),
    .word_i      (out_byte),
    .read_clk_i  (clk_i),
    .read_rst_ni (rst_ni),
    .valid_o     (rx_valid_o),
    .ready_i     (rx_ready_i),
    .word_o      (rx_byte_o)
  );

  // ---------------------------------------------------------------- to the host
  logic next_valid, next_ready;
  logic [7:0] next_byte;

  xt_async_fifo #(
    .Width(8),
    .Depth(16)
  ) i_to_host (
    .write_clk_i (clk_i),
    .write_rst_ni(rst_ni),
    .valid_i     (tx_valid_i),
    .ready_o     (tx_ready_o),
    .word_i      (tx_byte_i),
    .read_clk_i  (usb_clk_i),
    .read_rst_ni (usb_rst_ni),
    .valid_o     (next_valid),
    .ready_i     (next_ready),
    .word_o      (next_byte)
  );

  logic held_q;  // in_byte waits
  logic [HoldBits-1:0] wait_q;  // cycles that it still does if nothing comes

  assign in_last    = wait_q == '0;
  assign in_valid   = held_q && (next_valid || in_last);
  assign next_ready = !held_q || (in_valid && in_ready);

  always_ff @(posedge usb_clk_i) begin
    if (!usb_rst_ni) begin
      held_q <= 1'b0;
      wait_q <= HoldBits'(Hold);
    end else begin
      if (next_ready) begin
        held_q <= next_valid;
        wait_q <= HoldBits'(Hold);
      end else if (!next_valid && !in_last) wait_q <= wait_q - 1'b1;
    end
    if (next_ready) in_byte <= next_byte;
  end

  // ---------------------------------------------------------------- restart
  logic restart_q, restarts_q;  // in the core's clock: as it was; changes with each
  logic [2:0] seen_q;

  always_ff @(posedge usb_clk_i) begin
    if (!usb_rst_ni) begin
      restart_q  <= 1'b0;
      restarts_q <= 1'b0;
    end else begin
      restart_q  <= restart;
      restarts_q <= restarts_q ^ (restart && !restart_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) seen_q <= '0;
    else seen_q <= {seen_q[1:0], restarts_q};
  end
  assign restart_o = seen_q[2] != seen_q[1];

endmodule

`default_nettype wire
