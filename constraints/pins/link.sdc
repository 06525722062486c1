# SPDX-License-Identifier: Apache-2.0
#
# I/O delays of one link of xt_phy_pins, in SDC, which is also valid XDC. For each link set these, then read this file:
#
#   link_bit        duration of a bit in ns: half a period of the link's clock, for lanes carry a bit at each edge
#   link_clk_in     the clock that create_clock defines at the link's clock pin
#   link_in         pins of the lanes from the other end
#   link_clk_out    the clock that create_generated_clock defines at the pin of the clock to the other end, from clk90_i
#   link_out        pins of the lanes to the other end
#
# Each edge of the clock lies in the middle of a bit, half a bit after the bit's begin. Of this half the sender may use an eighth of a bit
# for differences between its pins, the cable another eighth. The receiver keeps a quarter of a bit for setup and a quarter for hold:
#
#   in:  a bit begins link_bit / 2 +- link_bit / 4 after the clock's edge before
#   out: a bit is there from (link_bit / 2 - link_bit / 8) before its edge until as long after its edge
set link_early [expr {$link_bit / 2.0 - $link_bit / 4.0}]
set link_late [expr {$link_bit / 2.0 + $link_bit / 4.0}]
set link_there [expr {$link_bit / 2.0 - $link_bit / 8.0}]
set_input_delay -clock $link_clk_in -max $link_late [get_ports $link_in]
set_input_delay -clock $link_clk_in -min $link_early [get_ports $link_in]
set_input_delay -clock $link_clk_in -max $link_late -clock_fall -add_delay [get_ports $link_in]
set_input_delay -clock $link_clk_in -min $link_early -clock_fall -add_delay [get_ports $link_in]
set_output_delay -clock $link_clk_out -max $link_there [get_ports $link_out]
set_output_delay -clock $link_clk_out -min [expr {-$link_there}] [get_ports $link_out]
set_output_delay -clock $link_clk_out -max $link_there -clock_fall -add_delay [get_ports $link_out]
set_output_delay -clock $link_clk_out -min [expr {-$link_there}] -clock_fall -add_delay [get_ports $link_out]
