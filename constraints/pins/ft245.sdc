# SPDX-License-Identifier: Apache-2.0
#
# I/O delays of the synchronous FIFO of an FT232H or FT2232H, in SDC, which is also valid XDC. Set these, then read this file:
#
#   ft245_clk    the clock that create_clock defines at CLKOUT's pin, 60 MHz
#   ft245_in     pins RXF# and TXE#
#   ft245_out    pins RD#, WR# and OE#
#   ft245_data   the eight data pins
#   ft245_wire   most delay of a wire between chip and device, in ns; the wires are alike
#
# FTDI, data sheet FT_000288 (FT232H) 2.1, table 4.1: flags and data follow CLKOUT by 0 to 9 ns; setup 7.5 ns, hold 0 ns. SIWU# rests.
# CLKOUT takes a wire to the device, and the answer takes one back.
set_input_delay -clock $ft245_clk -max 9.000 [get_ports [concat $ft245_in $ft245_data]]
set_input_delay -clock $ft245_clk -min 0.000 [get_ports [concat $ft245_in $ft245_data]]
set_output_delay -clock $ft245_clk -max [expr {7.500 + 2 * $ft245_wire}] [get_ports [concat $ft245_out $ft245_data]]
set_output_delay -clock $ft245_clk -min 0.000 [get_ports [concat $ft245_out $ft245_data]]
