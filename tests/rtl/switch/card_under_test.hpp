// SPDX-License-Identifier: Apache-2.0
//
// The Verilated card, one clock cycle at a time. Output pins show the values of the cycle that has
// begun; inputs driven now are sampled by tick(), which ends the cycle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench_packet.hpp"

// A link's frame, low word first; bits above the profile's frame are 0.
using Frame = std::array<uint32_t, 12>;

class Card
{
      public:
	// `wave` is the FST file to write, empty for none; `seed` randomises what reset leaves undefined.
	Card(const std::string &wave, uint64_t seed);
	~Card();
	Card(Card &&) = delete;

	void reset(unsigned cycles); // inputs idle, reset held
	void tick();
	void skip()
	{
		cycle_++;
	} // a cycle passes without evaluation
	uint64_t cycle() const
	{
		return cycle_;
	}
	// Every output pin except the clocked-out ones is a register: settles the inputs driven so far
	// and returns the outputs, which must not have moved.
	void settle();
	std::vector<uint32_t> outputs() const;

	void idle_inputs(); // no valid, no ready, anywhere
	void drive_frame(unsigned port, const Frame &frame);
	void drive_nic(unsigned nic, const Cell &cell, bool last);
	void drive_nic_ready(unsigned nic);
	// True if tick() would see any valid at an input.
	bool any_input_valid() const;

	bool link_valid(unsigned port) const;
	Frame link_frame(unsigned port) const;
	bool nic_ready(unsigned nic) const;
	bool nic_valid(unsigned nic) const;
	bool nic_last(unsigned nic) const;
	bool nic_poisoned(unsigned nic) const;
	Cell nic_cell(unsigned nic) const;
	bool idle() const;

	void drive_aw(uint32_t address);
	void drive_w(uint32_t data, unsigned strobe);
	void drive_bready();
	void drive_ar(uint32_t address);
	void drive_rready();
	bool awready() const;
	bool wready() const;
	bool bvalid() const;
	unsigned bresp() const;
	bool arready() const;
	bool rvalid() const;
	uint32_t rdata() const;
	unsigned rresp() const;

      private:
	struct Model;
	std::unique_ptr<Model> model_;
	uint64_t cycle_ = 0;
};
