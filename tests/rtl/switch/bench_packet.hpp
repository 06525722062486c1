// SPDX-License-Identifier: Apache-2.0
//
// Packets of the bench and the scoreboard that proves each comes out once, where and as it should.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

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
	// zeros for the missing cells; beats after the last cell it throws away. With a link layer the zeros, or the
	// last cell, are marked as of an incomplete packet.
	unsigned beats = 0;
	bool missing_tc = false; // NIC only: the header names a TC that does not exist; the card throws it away
	// Link ports by whose adaptive VC it may leave as well as by (out_port, out_vc); its order among others
	// is then not checked.
	uint32_t adaptive_ports = 0;
	// Link only: cells that are what was sent, 0 for all; the others are zeros, marked as of an incomplete
	// packet. The source sends them so or, if `cut`, sends none of them: its link is to go down.
	unsigned whole = 0;
	bool cut = false;
	uint64_t sent = 0; // cycle in which the head was at the input pin

	unsigned tc() const
	{
		return shape().vc_tc[in_vc];
	}
	bool framed() const
	{
		return !missing_tc && (beats == 0 || beats == cells);
	}
	bool poisoned(unsigned index) const
	{
		const bool misframed = beats && (index >= beats || (index + 1 == cells && beats > cells));

		return (whole && index >= whole) || (misframed && shape().frame.layer);
	}
	// Cell `index` as the bench sends it. The source address in the header, which the card does not
	// look at, tells the input port and VC.
	Cell cell(unsigned index) const;
	// The same as it must come out.
	Cell expected(unsigned index) const
	{
		return (beats && index >= beats) || (whole && index >= whole) ? Cell{} : cell(index);
	}
};

// In order means: in order within (input port, input VC, output port, output VC). Packets that may be routed
// adaptively have no order.
class Scoreboard
{
      public:
	// A packet whose head is going in now.
	void enter(const Packet &packet);
	// A head that came out; throws if it is not the next expected there.
	Packet leave(const Cell &head, unsigned out_port, unsigned out_vc, uint64_t now);

	// Takes out what waits to leave by a port: packets that a link swallows while it is down.
	std::deque<Packet> forget(unsigned out_port);
	// Headers get the time of injection over part of their tag.
	bool stamped = false;

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
	// Packets inside that are not for the output that is given for their input. Not the adaptive ones.
	size_t astray(const std::vector<unsigned> &out_port) const;
	// The packets that are still inside, oldest of each queue, as text for a report.
	std::string waiting() const;

      private:
	Cell header(Cell head) const; // without the stamp
	static uint32_t key(unsigned in_port, unsigned in_vc, unsigned out_port, unsigned out_vc);

	std::unordered_map<uint32_t, std::deque<Packet>> queues_;
	std::map<Cell, Packet> adaptive_; // by first cell
	size_t inside_ = 0;
	uint64_t entered_ = 0, left_ = 0;
};
