# SPDX-License-Identifier: Apache-2.0
#
# I/O delays of a ULPI PHY that gives the clock ("output clock mode"), in SDC, which is also valid XDC. Set these, then read this file:
#
#   ulpi_clk    the clock that create_clock defines at the PHY's clock pin, 60 MHz
#   ulpi_in     pins DIR and NXT
#   ulpi_out    pin STP
#   ulpi_data   the eight data pins
#   ulpi_wire   most delay of a wire between PHY and device, in ns; the wires are alike
#
# ULPI 1.1 asks of every PHY: outputs follow the clock by 0 to 9 ns; setup 6 ns, hold 0 ns. Many PHYs are faster: see their data sheets.
# The clock takes a wire to the device, and the answer takes one back.
set_input_delay -clock $ulpi_clk -max 9.000 [get_ports [concat $ulpi_in $ulpi_data]]
set_input_delay -clock $ulpi_clk -min 0.000 [get_ports [concat $ulpi_in $ulpi_data]]
set_output_delay -clock $ulpi_clk -max [expr {6.000 + 2 * $ulpi_wire}] [get_ports [concat $ulpi_out $ulpi_data]]
set_output_delay -clock $ulpi_clk -min 0.000 [get_ports [concat $ulpi_out $ulpi_data]]
