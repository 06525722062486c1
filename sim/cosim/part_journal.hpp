// SPDX-License-Identifier: Apache-2.0
//
// What a part would tell the client in some cycles, written down, so that the client hears of all parts in the order of
// a network in one piece.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_buffer.h"
#include "network_part.hpp"

class Journal
{
      public:
	// After a cycle.
	struct Mark {
		uint64_t moves;
		int64_t inTransit;
		uint32_t told, busy;
	};

	// Steps the part for so many cycles. The packets are made by `client`.
	void step(Part &part, const xt_client_t &client, unsigned cycles);
	const Mark &mark(unsigned cycle) const
	{
		return marks_[cycle];
	}

	// New packets of a cycle first, of all parts, and then the rest.
	void tellPackets(const xt_client_t &client, unsigned cycle);
	void tellRest(const xt_client_t &client, unsigned cycle);

	bool pack(xt_bytes_t &out) const;
	// False: the message is not that long, or is of other cycles.
	bool unpack(xt_bytes_reader_t &reader, unsigned cycles);

      private:
	enum Kind : uint8_t { Fetch, Sent, Received, Hop };

	struct Telling {
		uint64_t cycle;
		uint32_t who, index; // PE, or card of a hop
		Kind kind;
		uint8_t last, poisoned, port, vc;
		uint32_t cell[Cosim::CellWords];
	};

	static const uint32_t *fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells);
	static void sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count);
	static void received(void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count,
		int last, int poisoned);
	static void hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell);
	void put(const Telling &telling, const uint32_t *cell);

	const xt_client_t *client_ = nullptr;
	std::vector<Telling> tellings_;
	std::vector<xt_packet_t> packets_;
	std::vector<Mark> marks_;
	size_t told_ = 0, packetTold_ = 0;
};
