// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "card_under_test.hpp"

// AXI4-Lite master: one write and one read at a time, each channel with its own delay, so that every
// order of address, data and response occurs. cycle() is called once per cycle before Card::tick().
class AxiLite
{
      public:
	enum : unsigned { Okay = 0, Slverr = 2 };

	// As `b` or `r`: the response is taken only once the other transfer has its own.
	static const unsigned after_other = ~0u;

	struct Delays {
		unsigned aw = 0, w = 0, b = 0, ar = 0, r = 0;
	};

	void start_write(uint32_t address, uint32_t data, unsigned strobe, const Delays &delays);
	void start_read(uint32_t address, const Delays &delays);
	void cycle(Card &card, uint64_t now);

	bool writing() const
	{
		return writing_;
	}
	bool reading() const
	{
		return reading_;
	}
	unsigned write_response() const
	{
		return write_response_;
	}
	unsigned read_response() const
	{
		return read_response_;
	}
	uint32_t read_data() const
	{
		return read_data_;
	}

      private:
	bool writing_ = false, aw_done_ = false, w_done_ = false, b_seen_ = false;
	uint32_t write_address_ = 0, write_data_ = 0;
	unsigned strobe_ = 0, write_age_ = 0, b_age_ = 0, write_response_ = 0;
	Delays write_delays_;

	bool reading_ = false, ar_done_ = false, r_seen_ = false;
	uint32_t read_address_ = 0, read_data_ = 0;
	unsigned read_age_ = 0, r_age_ = 0, read_response_ = 0;
	Delays read_delays_;
};
