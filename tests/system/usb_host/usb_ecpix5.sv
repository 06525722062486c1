// SPDX-License-Identifier: Apache-2.0
//
// The ECPIX-5 at its USB PHY, with the ports of the bench's PHY (tests/rtl/usb_device/at_ulpi.cpp). No cable is plugged in but
// that of the host.
`default_nettype none

module usb_ecpix5 (
  input  logic        ulpi_clk_i,
  input  logic        ulpi_dir_i,
  input  logic        ulpi_nxt_i,
  output logic        ulpi_stp_o,
  input  logic [ 7:0] ulpi_data_i,
  output logic [ 7:0] ulpi_data_o,
  output logic        ulpi_data_oe_o,
  /// Oscillator.
  input  logic        clk_i,
  /// Button.
  input  logic        rst_ni,
  /// Of other benches.
  output logic [15:0] writes_o
);

  wire [7:0] data;

  xt_ecpix5 i_board (
    .clk_100mhz (clk_i),
    .btn_n      (rst_ni),
    .uart_rx    (1'b1),
    .uart_tx    (),
    .ulpi_clk   (ulpi_clk_i),
    .ulpi_dir   (ulpi_dir_i),
    .ulpi_nxt   (ulpi_nxt_i),
    .ulpi_stp   (ulpi_stp_o),
    .ulpi_rst   (),
    .ulpi_data  (data),
    .link_clk_o (),
    .link_data_o(),
    .link_clk_i (6'd0),
    .link_data_i(18'd0),
    .led        ()
  );

  assign data           = ulpi_dir_i ? ulpi_data_i : 8'hzz;
  assign ulpi_data_o    = data;
  assign ulpi_data_oe_o = i_board.data_oe;
  assign writes_o       = '0;

endmodule

`default_nettype wire
