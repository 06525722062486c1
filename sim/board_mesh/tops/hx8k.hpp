// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "board_mesh/top.hpp"

// The iCE40-HX8K breakout board; its host is at the UART.
struct Top : TopWithoutLinks<Vtop> {
	static constexpr int Front = FrontUart;
	Top(VerilatedContext *context) : TopWithoutLinks(context)
	{
		pins.uart_rx = 1;
	}
	void clock()
	{
		pins.clk_12mhz = !pins.clk_12mhz;
	}
};
