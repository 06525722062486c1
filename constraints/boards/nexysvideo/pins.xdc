# Nexys Video (XC7A200T-1SBG484C). Not built: there is no open place and route for it here.
#
# What public sources leave open: FIFO mode of the FT2232H is said to need PROG_SPIEN (R14, fifo_spi) at 0; the reset button is at
# a bank of 1.5 V (litex-boards has LVCMOS15, and elsewhere in the same file LVCMOS25).

set_property -dict { PACKAGE_PIN R4 IOSTANDARD LVCMOS33 } [get_ports { clk_100mhz }]
create_clock -name clk_100mhz -period 10.000 [get_ports { clk_100mhz }]
set_property -dict { PACKAGE_PIN G4 IOSTANDARD LVCMOS15 } [get_ports { btn_n }]
set_property -dict { PACKAGE_PIN V18 IOSTANDARD LVCMOS33 } [get_ports { uart_rx }]
set_property -dict { PACKAGE_PIN AA19 IOSTANDARD LVCMOS33 } [get_ports { uart_tx }]

# FT2232H, channel A as a synchronous FIFO. Its data and flags are good 9 ns after its clock and taken 16.7 ns after it.
set_property -dict { PACKAGE_PIN Y18 IOSTANDARD LVCMOS33 } [get_ports { fifo_clk }]
create_clock -name fifo_clk -period 16.667 [get_ports { fifo_clk }]
set_property -dict { PACKAGE_PIN N17 IOSTANDARD LVCMOS33 } [get_ports { fifo_rxf_n }]
set_property -dict { PACKAGE_PIN Y19 IOSTANDARD LVCMOS33 } [get_ports { fifo_txe_n }]
set_property -dict { PACKAGE_PIN P19 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_rd_n }]
set_property -dict { PACKAGE_PIN R19 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_wr_n }]
set_property -dict { PACKAGE_PIN V17 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_oe_n }]
set_property -dict { PACKAGE_PIN P17 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_siwu_n }]
set_property -dict { PACKAGE_PIN R14 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_spi }]
set_property -dict { PACKAGE_PIN U20 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[0] }]
set_property -dict { PACKAGE_PIN P14 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[1] }]
set_property -dict { PACKAGE_PIN P15 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[2] }]
set_property -dict { PACKAGE_PIN U17 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[3] }]
set_property -dict { PACKAGE_PIN R17 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[4] }]
set_property -dict { PACKAGE_PIN P16 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[5] }]
set_property -dict { PACKAGE_PIN R18 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[6] }]
set_property -dict { PACKAGE_PIN N14 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { fifo_data[7] }]

# Links on the PMODs. Whether pins 1 can lead to the clock tree is not known here: the tool is told that they need not.

# Link 0: card 0 port 0, JA. In: pin 1 the clock, pins 2, 3 and 4 lanes 0 to 2; out: pins 7, and 8, 9 and 10.
set_property -dict { PACKAGE_PIN AB22 IOSTANDARD LVCMOS33 } [get_ports { link_clk_i[0] }]
create_clock -name link_clk_i_0 -period 25.000 [get_ports { link_clk_i[0] }]
set_property CLOCK_DEDICATED_ROUTE FALSE [get_nets -of_objects [get_ports { link_clk_i[0] }]]
set_property -dict { PACKAGE_PIN AB21 IOSTANDARD LVCMOS33 } [get_ports { link_data_i[0] }]
set_property -dict { PACKAGE_PIN AB20 IOSTANDARD LVCMOS33 } [get_ports { link_data_i[1] }]
set_property -dict { PACKAGE_PIN AB18 IOSTANDARD LVCMOS33 } [get_ports { link_data_i[2] }]
set_property -dict { PACKAGE_PIN Y21 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_clk_o[0] }]
set_property -dict { PACKAGE_PIN AA21 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_data_o[0] }]
set_property -dict { PACKAGE_PIN AA20 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_data_o[1] }]
set_property -dict { PACKAGE_PIN AA18 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_data_o[2] }]

# Link 1: card 0 port 1, JB. In: pin 1 the clock, pins 2, 3 and 4 lanes 0 to 2; out: pins 7, and 8, 9 and 10.
set_property -dict { PACKAGE_PIN V9 IOSTANDARD LVCMOS33 } [get_ports { link_clk_i[1] }]
create_clock -name link_clk_i_1 -period 25.000 [get_ports { link_clk_i[1] }]
set_property CLOCK_DEDICATED_ROUTE FALSE [get_nets -of_objects [get_ports { link_clk_i[1] }]]
set_property -dict { PACKAGE_PIN V8 IOSTANDARD LVCMOS33 } [get_ports { link_data_i[3] }]
set_property -dict { PACKAGE_PIN V7 IOSTANDARD LVCMOS33 } [get_ports { link_data_i[4] }]
set_property -dict { PACKAGE_PIN W7 IOSTANDARD LVCMOS33 } [get_ports { link_data_i[5] }]
set_property -dict { PACKAGE_PIN W9 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_clk_o[1] }]
set_property -dict { PACKAGE_PIN Y9 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_data_o[3] }]
set_property -dict { PACKAGE_PIN Y8 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_data_o[4] }]
set_property -dict { PACKAGE_PIN Y7 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 8 } [get_ports { link_data_o[5] }]

set_property -dict { PACKAGE_PIN T14 IOSTANDARD LVCMOS25 } [get_ports { led[0] }]
set_property -dict { PACKAGE_PIN T15 IOSTANDARD LVCMOS25 } [get_ports { led[1] }]
set_property -dict { PACKAGE_PIN T16 IOSTANDARD LVCMOS25 } [get_ports { led[2] }]
set_property -dict { PACKAGE_PIN U16 IOSTANDARD LVCMOS25 } [get_ports { led[3] }]
set_property -dict { PACKAGE_PIN V15 IOSTANDARD LVCMOS25 } [get_ports { led[4] }]
set_property -dict { PACKAGE_PIN W16 IOSTANDARD LVCMOS25 } [get_ports { led[5] }]
set_property -dict { PACKAGE_PIN W15 IOSTANDARD LVCMOS25 } [get_ports { led[6] }]
set_property -dict { PACKAGE_PIN Y13 IOSTANDARD LVCMOS25 } [get_ports { led[7] }]

# Delays outside the device, as constraints/pins has them, with their sources. Public sources do not tell the lengths of the wires between
# FT2232H and device; 8 cm are assumed, 0.5 ns each. Data follow OE# by 9 ns at most and are taken two cycles after OE#.
set fifo_in {fifo_rxf_n fifo_txe_n fifo_data[*]}
set fifo_out {fifo_rd_n fifo_wr_n fifo_oe_n fifo_data[*]}
set_input_delay -clock fifo_clk -max 9.000 [get_ports $fifo_in]
set_input_delay -clock fifo_clk -min 0.000 [get_ports $fifo_in]
set_output_delay -clock fifo_clk -max 8.500 [get_ports $fifo_out]
set_output_delay -clock fifo_clk -min 0.000 [get_ports $fifo_out]

# Links: 40 MHz, so a bit lasts 12.5 ns. A bit begins 6.25 +- 3.125 ns after the edge before; it goes out 4.6875 ns around its edge.
create_generated_clock -name link_clk_o_0 -source [get_pins i_pll/i_clk90/O] -divide_by 1 [get_ports { link_clk_o[0] }]
set link_0_in {link_data_i[0] link_data_i[1] link_data_i[2]}
set link_0_out {link_data_o[0] link_data_o[1] link_data_o[2]}
set_input_delay -clock link_clk_i_0 -max 9.375 [get_ports $link_0_in]
set_input_delay -clock link_clk_i_0 -min 3.125 [get_ports $link_0_in]
set_input_delay -clock link_clk_i_0 -max 9.375 -clock_fall -add_delay [get_ports $link_0_in]
set_input_delay -clock link_clk_i_0 -min 3.125 -clock_fall -add_delay [get_ports $link_0_in]
set_output_delay -clock link_clk_o_0 -max 4.6875 [get_ports $link_0_out]
set_output_delay -clock link_clk_o_0 -min -4.6875 [get_ports $link_0_out]
set_output_delay -clock link_clk_o_0 -max 4.6875 -clock_fall -add_delay [get_ports $link_0_out]
set_output_delay -clock link_clk_o_0 -min -4.6875 -clock_fall -add_delay [get_ports $link_0_out]

create_generated_clock -name link_clk_o_1 -source [get_pins i_pll/i_clk90/O] -divide_by 1 [get_ports { link_clk_o[1] }]
set link_1_in {link_data_i[3] link_data_i[4] link_data_i[5]}
set link_1_out {link_data_o[3] link_data_o[4] link_data_o[5]}
set_input_delay -clock link_clk_i_1 -max 9.375 [get_ports $link_1_in]
set_input_delay -clock link_clk_i_1 -min 3.125 [get_ports $link_1_in]
set_input_delay -clock link_clk_i_1 -max 9.375 -clock_fall -add_delay [get_ports $link_1_in]
set_input_delay -clock link_clk_i_1 -min 3.125 -clock_fall -add_delay [get_ports $link_1_in]
set_output_delay -clock link_clk_o_1 -max 4.6875 [get_ports $link_1_out]
set_output_delay -clock link_clk_o_1 -min -4.6875 [get_ports $link_1_out]
set_output_delay -clock link_clk_o_1 -max 4.6875 -clock_fall -add_delay [get_ports $link_1_out]
set_output_delay -clock link_clk_o_1 -min -4.6875 -clock_fall -add_delay [get_ports $link_1_out]

# Pins without a clock: a button, a serial line that is sampled, lights, and pins that rest.
set_false_path -from [get_ports {btn_n uart_rx}]
set_false_path -to [get_ports {uart_tx fifo_siwu_n fifo_spi led[*]}]

# Paths between clocks: constraints/crossings/crossings.xdc, to be read after this file.
