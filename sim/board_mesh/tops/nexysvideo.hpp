// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "board_mesh/top.hpp"

// The Nexys Video; its host is at the FIFO.
struct Top : TopWithLinks<Vtop, 2, 3> {
	static constexpr int Front = FrontFifo;
	Top(VerilatedContext *context) : TopWithLinks(context)
	{
		pins.btn_n = 1;
		pins.uart_rx = 1;
	}
	bool press(bool pressed)
	{
		pins.btn_n = !pressed;
		return true;
	}
	void clock()
	{
		pins.clk_100mhz = !pins.clk_100mhz;
		pins.fifo_clk = !pins.fifo_clk;
	}
};
