// SPDX-License-Identifier: Apache-2.0
//
// Front end: bytes of the bridge over a native USB device at high speed, by a ULPI PHY. The PHY gives the clock of 60 MHz. The
// board drives the reset pin of the PHY from the reset of the bridge, because the clock may rest until this reset ends.
//
// Between the core and the PHY a register holds the byte to send, because the core needs most of a cycle to choose that byte. So
// data and STP come from registers, the PHY's state and a few multiplexers. DIR alone changes them in the same cycle; in that
// cycle the bus turns around, and nobody reads them.
`default_nettype none

// A simulation may define a stand-in's name (sim/standins).
`ifdef XT_USB_ULPI
`define XT_USB_START_BITS 10
`else
`define XT_USB_ULPI xt_usb_ulpi
`define XT_USB_START_BITS 17
`endif

module xt_usb_high (
  /// Serial number of the board; constant.
  input  logic [63:0] serial_i,

  /// ULPI: clock, 60 MHz.
  input  logic        ulpi_clk_i,
  /// ULPI: the PHY drives the data.
  input  logic        ulpi_dir_i,
  /// ULPI: the PHY takes or gives a byte.
  input  logic        ulpi_nxt_i,
  /// ULPI: end of a packet or command to the PHY.
  output logic        ulpi_stp_o,
  /// ULPI: data in.
  input  logic [ 7:0] ulpi_data_i,
  /// ULPI: data out.
  output logic [ 7:0] ulpi_data_o,
  /// ULPI: drive the data.
  output logic        ulpi_data_oe_o,

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

  logic phy_rst_n, usb_rst_n, busy;
  logic rx_active, rx_valid, tx_ready, term_select;
  logic core_tx_valid, core_tx_ready, tx_valid_q;
  logic [7:0] rx_data, core_tx_data, tx_data_q;
  logic [1:0] line_state, xcvr_select, op_mode;

  xt_board_reset i_phy_reset (
    .clk_i (ulpi_clk_i),
    .run_i (rst_ni),
    .rst_no(phy_rst_n)
  );

  // LUNA writes the registers of the PHY after 1 ms. A device that sends earlier blocks these writes for good, and lines without
  // pull-up look like a bus reset. So the device starts after 2.2 ms; with a stand-in earlier.
  xt_board_reset #(
    .Cycles(1 << `XT_USB_START_BITS)
  ) i_usb_reset (
    .clk_i (ulpi_clk_i),
    .run_i (phy_rst_n),
    .rst_no(usb_rst_n)
  );

  // verilator lint_off PINCONNECTEMPTY
  `XT_USB_ULPI i_ulpi (
    .usb_clk      (ulpi_clk_i),
    .usb_rst      (!phy_rst_n),
    .bus__data__i (ulpi_data_i),
    .bus__data__o (ulpi_data_o),
    .bus__data__oe(ulpi_data_oe_o),
    .bus__dir__i  (ulpi_dir_i),
    .bus__nxt__i  (ulpi_nxt_i),
    .bus__stp__o  (ulpi_stp_o),
    .bus__rst__o  (),
    .busy,
    .rx_data,
    .rx_active,
    .rx_valid,
    .tx_data      (tx_data_q),
    .tx_valid     (tx_valid_q),
    .tx_ready,
    .line_state,
    .xcvr_select,
    .op_mode,
    .term_select
  );
  // verilator lint_on PINCONNECTEMPTY

  // A packet goes on as long as tx_valid_q is 1, so the register is full from the first byte to the last.
  assign core_tx_ready = !tx_valid_q || tx_ready;
  always_ff @(posedge ulpi_clk_i) begin
    if (!usb_rst_n) tx_valid_q <= 1'b0;
    else if (core_tx_ready) tx_valid_q <= core_tx_valid;
    if (core_tx_ready) tx_data_q <= core_tx_data;
  end

  xt_usb i_usb (
    .serial_i,
    .usb_clk_i         (ulpi_clk_i),
    .usb_rst_ni        (usb_rst_n),
    .utmi_rx_data_i    (rx_data),
    .utmi_rx_active_i  (rx_active),
    .utmi_rx_valid_i   (rx_valid),
    .utmi_tx_data_o    (core_tx_data),
    .utmi_tx_valid_o   (core_tx_valid),
    .utmi_tx_ready_i   (core_tx_ready),
    .utmi_line_state_i (line_state),
    .utmi_xcvr_select_o(xcvr_select),
    .utmi_op_mode_o    (op_mode),
    .utmi_term_select_o(term_select),
    .utmi_busy_i       (busy),
    .clk_i,
    .rst_ni,
    .restart_o,
    .rx_valid_o,
    .rx_ready_i,
    .rx_byte_o,
    .tx_valid_i,
    .tx_ready_o,
    .tx_byte_i
  );

endmodule

`default_nettype wire
