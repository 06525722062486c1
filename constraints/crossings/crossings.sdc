# SPDX-License-Identifier: Apache-2.0
#
# Every path between two clocks, for Quartus, as Intel constrains the DCFIFO. Define the clocks, then read this file; let no
# set_clock_groups cut the same paths. tests/rtl/clock_crossings finds the paths in the netlist.

# fifo_write_pointer, fifo_read_pointer: Gray codes of xt_async_fifo. Bits may arrive less than a cycle apart.
set_max_delay -from [get_registers {*|write_gray_q[*]}] -to [get_registers {*|write_seen_q[*]}] 100
set_min_delay -from [get_registers {*|write_gray_q[*]}] -to [get_registers {*|write_seen_q[*]}] -100
set_max_skew -from [get_registers {*|write_gray_q[*]}] -to [get_registers {*|write_seen_q[*]}] -get_skew_value_from_clock_period min_clock_period -skew_value_multiplier 0.8
set_net_delay -from [get_registers {*|write_gray_q[*]}] -to [get_registers {*|write_seen_q[*]}] -max -get_value_from_clock_period dst_clock_period -value_multiplier 0.8
set_max_delay -from [get_registers {*|read_gray_q[*]}] -to [get_registers {*|read_seen_q[*]}] 100
set_min_delay -from [get_registers {*|read_gray_q[*]}] -to [get_registers {*|read_seen_q[*]}] -100
set_max_skew -from [get_registers {*|read_gray_q[*]}] -to [get_registers {*|read_seen_q[*]}] -get_skew_value_from_clock_period min_clock_period -skew_value_multiplier 0.8
set_net_delay -from [get_registers {*|read_gray_q[*]}] -to [get_registers {*|read_seen_q[*]}] -max -get_value_from_clock_period dst_clock_period -value_multiplier 0.8

# fifo_word: a word rests in the memory from two cycles before the reader's pointer shows it.
set_max_delay -from [get_keepers {*i_fifo|mem*}] 8
set_min_delay -from [get_keepers {*i_fifo|mem*}] -100
set_max_delay -from [get_keepers {*i_from_host|mem*}] 8
set_min_delay -from [get_keepers {*i_from_host|mem*}] -100
set_max_delay -from [get_keepers {*i_to_host|mem*}] 8
set_min_delay -from [get_keepers {*i_to_host|mem*}] -100

# link_locked: one bit of xt_phy_rx, by the synchronizer lock_q of xt_phy.
set_false_path -from [get_registers {*i_rx|locked_o*}] -to [get_registers {*|lock_q[0]}]

# link_reset: asynchronous on, synchronous off by rx_rst_q of xt_phy.
set_false_path -to [get_registers {*|rx_rst_q[*]}]

# usb_restart: one bit that changes with each restart of the bus, by seen_q of xt_usb.
set_false_path -from [get_registers {*|restarts_q}] -to [get_registers {*|seen_q[0]}]

# reset_run: the wish to run, from a pin, a PLL or another clock: asynchronous on, synchronous off by run_q of xt_board_reset.
set_false_path -to [get_registers {*|run_q[*]}]
set_false_path -to [get_registers {*|rst_nq}]
