# SPDX-License-Identifier: Apache-2.0
#
# Every path between two clocks, for Vivado. Define the clocks, then read this file; let no set_clock_groups cut the same paths, for that
# would overrule the delays. 8 ns is less than a cycle of any clock here. tests/rtl/clock_crossings finds the paths in the netlist.

# fifo_write_pointer, fifo_read_pointer: Gray codes of xt_async_fifo. Bits may arrive less than a cycle apart.
set_max_delay -datapath_only -from [get_cells -hierarchical -filter {NAME =~ */write_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */write_seen_q_reg*}] 8.000
set_bus_skew -from [get_cells -hierarchical -filter {NAME =~ */write_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */write_seen_q_reg*}] 8.000
set_max_delay -datapath_only -from [get_cells -hierarchical -filter {NAME =~ */read_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */read_seen_q_reg*}] 8.000
set_bus_skew -from [get_cells -hierarchical -filter {NAME =~ */read_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */read_seen_q_reg*}] 8.000

# fifo_word: a word rests in the memory from two cycles before the reader's pointer shows it.
set_max_delay -datapath_only -from [get_cells -hierarchical -filter {NAME =~ */i_fifo/mem_reg*}] 8.000
set_max_delay -datapath_only -from [get_cells -hierarchical -filter {NAME =~ */i_from_host/mem_reg*}] 8.000
set_max_delay -datapath_only -from [get_cells -hierarchical -filter {NAME =~ */i_to_host/mem_reg*}] 8.000

# link_locked: one bit of xt_phy_rx, by the synchronizer lock_q of xt_phy.
set_max_delay -datapath_only -from [get_cells -hierarchical -filter {NAME =~ */i_rx/locked_o_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */lock_q_reg*}] 8.000

# link_reset: asynchronous on, synchronous off by rx_rst_q of xt_phy.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */rx_rst_q_reg*/CLR}]

# usb_restart: one bit that changes with each restart of the bus, by seen_q of xt_usb.
set_max_delay -datapath_only -from [get_cells -hierarchical -filter {NAME =~ */restarts_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */seen_q_reg*}] 8.000

# reset_run: the wish to run, from a pin, a PLL or another clock: asynchronous on, synchronous off by run_q of xt_board_reset.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */run_q_reg[*]/CLR}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */rst_nq_reg/CLR}]

# Synchronizers stay together and are not retimed.
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ */write_seen_q_reg* || NAME =~ */write_sync_q_reg*}]
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ */read_seen_q_reg* || NAME =~ */read_sync_q_reg*}]
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ */lock_q_reg* || NAME =~ */rx_rst_q_reg* || NAME =~ */run_q_reg* || NAME =~ */seen_q_reg*}]
