// SPDX-License-Identifier: Apache-2.0
//
// Packets of the bench and the scoreboard that proves each comes out once, where and as it should.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "shape.hpp"

using Cell = std::array<uint32_t, 8>; // low word first; words above the profile's cell are 0

void cell_set(Cell &cell, unsigned lsb, unsigned width, uint32_t value);
uint32_t cell_get(const Cell &cell, unsigned lsb, unsigned width);
std::string cell_text(const Cell &cell);

struct Packet {
	uint64_t id = 0; // seeds the payload
	uint32_t dest = 0;
	unsigned cells = 1;
	unsigned in_port = 0;
	unsigned in_vc = 0; // through all TCs; at a NIC the first VC of the packet's TC
	unsigned out_port = 0;
	unsigned out_vc = 0;  // 0 where the output is a NIC
	bool illegal = false; // the card must drop it
	// NIC only: beats up to tlast; 0: as many as the header says. After an early tlast the card sends
	// zeros for the missing cells; beats after the last cell it throws away.
	unsigned beats = 0;
	bool missing_tc = false; // NIC only: the header names a TC that does not exist; the card throws it away
	uint64_t sent = 0;       // cycle in which the head was at the input pin

	unsigned tc() const
	{
		return shape().vc_tc[in_vc];
	}
	bool framed() const
	{
		return !missing_tc && (beats == 0 || beats == cells);
	}
	// Cell `index` as the bench sends it. The source address in the header, which the card does not
	// look at, tells the input port and VC.
	Cell cell(unsigned index) const;
	// The same as it must come out.
	Cell expected(unsigned index) const
	{
		return beats && index >= beats ? Cell{} : cell(index);
	}
};

// In order means: in order within (input port, input VC, output port, output VC).
class Scoreboard
{
      public:
	// A packet whose head is going in now.
	void enter(const Packet &packet);
	// A head that came out; throws if it is not the next expected there.
	Packet leave(const Cell &head, unsigned out_port, unsigned out_vc, uint64_t now);

	size_t inside() const
	{
		return inside_;
	}
	uint64_t entered() const
	{
		return entered_;
	}
	uint64_t left() const
	{
		return left_;
	}
	// The packets that are still inside, oldest of each queue, as text for a report.
	std::string waiting() const;

      private:
	static uint32_t key(unsigned in_port, unsigned in_vc, unsigned out_port, unsigned out_vc);

	std::unordered_map<uint32_t, std::deque<Packet>> queues_;
	size_t inside_ = 0;
	uint64_t entered_ = 0, left_ = 0;
};
