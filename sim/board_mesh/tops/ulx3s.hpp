// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "board_mesh/top.hpp"

// The ULX3S; its host is at the UART.
struct Top : TopWithLinks<Vtop, 6, 3> {
	static constexpr int Front = FrontUart;
	Top(VerilatedContext *context) : TopWithLinks(context)
	{
		pins.btn_pwr_n = 1;
		pins.ftdi_txd = 1;
	}
	bool press(bool pressed)
	{
		pins.btn_pwr_n = !pressed;
		return true;
	}
	void clock()
	{
		pins.clk_25mhz = !pins.clk_25mhz;
	}
};
