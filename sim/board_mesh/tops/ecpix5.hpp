// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "board_mesh/top.hpp"

// The ECPIX-5; its host is at the UART.
struct Top : TopWithLinks<Vtop, 6, 3> {
	static constexpr int Front = FrontUart;
	static constexpr unsigned Ticks = 16;

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
	}
};
