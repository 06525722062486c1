// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "board_mesh/top.hpp"

// The ButterStick; its host is at USB.
struct Top : TopWithLinks<Vtop, 2, 4> {
	static constexpr int Front = FrontUsb;
	Top(VerilatedContext *context) : TopWithLinks(context)
	{
	}
	void clock()
	{
		pins.clk_30mhz = !pins.clk_30mhz;
		pins.ulpi_clk = !pins.ulpi_clk;
	}
};
