// SPDX-License-Identifier: Apache-2.0
//
// Front end: the bridge's bytes over a native USB device at high speed, by a ULPI PHY that gives the clock of 60 MHz. The
// PHY's reset pin is the board's to drive, from the bridge's reset: its clock may rest until that is over.
//
// STP, the data and their direction are logic of DIR and NXT within a period of the clock, as LUNA has them.
`default_nettype none

module xt_usb_high (
  /// Serial number of the board; constant.
  input  logic [63:0] serial_i,

  /// ULPI: clock, 60 MHz.
  input  logic        ulpi_clk_i,
  /// ULPI: the PHY drives the data.
  input  logic        ulpi_dir_i,
  /// ULPI: the PHY takes or gives a byte.
  input  logic        ulpi_nxt_i,
  /// ULPI: end of what was said to the PHY.
  output logic        ulpi_stp_o,
  /// ULPI: data in.
  input  logic [ 7:0] ulpi_data_i,
  /// ULPI: data out.
  output logic [ 7:0] ulpi_data_o,
  /// ULPI: drive the data.
  output logic        ulpi_data_oe_o,

  /// Clock of the bridge.
  input  logic        clk_i,
  /// Its reset, active low, synchronous.
  input  logic        rst_ni,
  /// The host has reset the bus or set the configuration: a pulse.
  output logic        restart_o,
  /// A byte from the host.
  output logic        rx_valid_o,
  /// It is taken.
  input  logic        rx_ready_i,
  /// The byte.
  output logic [ 7:0] rx_byte_o,
  /// A byte to the host.
  input  logic        tx_valid_i,
  /// It is taken.
  output logic        tx_ready_o,
  /// The byte.
  input  logic [ 7:0] tx_byte_i
);

`ifdef XT_SIMULATION
  localparam int StartCycles = 1 << 10;
`else
  localparam int StartCycles = 1 << 17;
`endif

  logic phy_rst_n, usb_rst_n, busy;
  logic rx_active, rx_valid, tx_valid, tx_ready, term_select;
  logic [7:0] rx_data, tx_data;
  logic [1:0] line_state, xcvr_select, op_mode;

  xt_board_reset i_phy_reset (
    .clk_i (ulpi_clk_i),
    .run_i (rst_ni),
    .rst_no(phy_rst_n)
  );

  // LUNA leaves the PHY alone for 1 ms and then writes its registers. A device that wants to send before that is done stops it
  // for good, and lines that nothing pulls up yet look like a reset: so the device starts after 2.2 ms. (With XT_SIMULATION it
  // does at once: there are stand-ins.)
  xt_board_reset #(
    .Cycles(StartCycles)
  ) i_usb_reset (
    .clk_i (ulpi_clk_i),
    .run_i (phy_rst_n),
    .rst_no(usb_rst_n)
  );

  // verilator lint_off PINCONNECTEMPTY
  xt_usb_ulpi i_ulpi (
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
    .tx_data,
    .tx_valid,
    .tx_ready,
    .line_state,
    .xcvr_select,
    .op_mode,
    .term_select
  );
  // verilator lint_on PINCONNECTEMPTY

  xt_usb i_usb (
    .serial_i,
    .usb_clk_i         (ulpi_clk_i),
    .usb_rst_ni        (usb_rst_n),
    .utmi_rx_data_i    (rx_data),
    .utmi_rx_active_i  (rx_active),
    .utmi_rx_valid_i   (rx_valid),
    .utmi_tx_data_o    (tx_data),
    .utmi_tx_valid_o   (tx_valid),
    .utmi_tx_ready_i   (tx_ready),
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
