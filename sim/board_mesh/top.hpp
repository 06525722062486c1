// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "verilated.h"
#include "Vtop.h"

// Numbers of the front ends, as the stand-ins xt_uart_standin, xt_usb_core_standin and xt_ft245_standin use them.
enum { FrontUart = 0, FrontUsb = 1, FrontFifo = 2 };

// tops/BOARD.hpp defines a struct Top with the pins, and with these constants:
//
//   Front   the front end of the host
//   Links   at pins: 0 and 1 lead back and on in dimension 0, 2 and 3 in dimension 1
//   Wires   lanes of a link
//   Ticks   in a cycle of the board's clock; its PLL's model has as many steps
//
// Top::clock() runs in each tick, twice in a period of the oscillator, and drives all external clocks. Top::press()
// holds the reset button; false: there is none.

// Links at the pins link_clk_o, link_data_o, link_clk_i and link_data_i. In the bits of a link the clock is bit Wires.
template <typename Model, unsigned LinkCount, unsigned WireCount> struct TopWithLinks {
	static constexpr unsigned Links = LinkCount, Wires = WireCount, Ticks = 4;

	explicit TopWithLinks(VerilatedContext *context) : pins(context)
	{
	}
	uint8_t said(unsigned link) const
	{
		return static_cast<uint8_t>(
			((pins.link_data_o >> (Wires * link)) & Mask) | ((pins.link_clk_o >> link) & 1) << Wires);
	}
	void hear(unsigned link, uint8_t bits)
	{
		const unsigned shift = Wires * link;

		put(pins.link_data_i, (pins.link_data_i & ~(Mask << shift)) | (bits & Mask) << shift);
		put(pins.link_clk_i, (pins.link_clk_i & ~(1u << link)) | (bits >> Wires & 1u) << link);
	}
	bool press(bool)
	{
		return false;
	}

	Model pins;

      private:
	static constexpr unsigned Mask = (1u << Wires) - 1;

	template <typename Pin> static void put(Pin &pin, unsigned value)
	{
		pin = static_cast<Pin>(value);
	}
};

// No links at pins.
template <typename Model> struct TopWithoutLinks {
	static constexpr unsigned Links = 0, Wires = 1, Ticks = 4;

	explicit TopWithoutLinks(VerilatedContext *context) : pins(context)
	{
	}
	uint8_t said(unsigned) const
	{
		return 0;
	}
	void hear(unsigned, uint8_t)
	{
	}
	bool press(bool)
	{
		return false;
	}

	Model pins;
};
