// SPDX-License-Identifier: Apache-2.0
//
// The cards of a network and what is under way on their links: the state that its parts share. Each part touches its
// own cards only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "card_set.hpp"
#include "device/backend.h"
#include "link_errors.hpp"
#include "pin_frame.hpp"
#include "Vxt_card.h"
#include "wave.hpp"
#include "xt_registers.h"

struct Cosim {
	static constexpr unsigned Links = EXTORUS_LINK_PORTS;
	static constexpr unsigned Nics = EXTORUS_NIC_PORTS;
	static constexpr unsigned Ports = EXTORUS_PORTS;
	static constexpr unsigned CellBits = EXTORUS_CELL_BITS;
	static constexpr unsigned CellWords = (CellBits + 31) / 32;
	static constexpr unsigned NoCard = UINT32_MAX;

	// What reaches one card's link pins in one cycle. `frames` is a bit set by port; a frame is valid only
	// where it says so.
	struct Arrivals {
		uint32_t frames = 0;
		Frame frame[Links];
	};

	// What leaves one card by one port.
	struct Outgoing {
		uint32_t nextCell = 0, nextCredit = 0; // sequence numbers of the next that are no repetitions
		unsigned toGo = 0;                     // cells of the packet that is leaving
		bool dead = false;                     // killed: nothing passes
		uint64_t downSince = UINT64_MAX;       // cycle of the run
		LinkErrors errors;
	};

	// A packet on its way into a NIC port.
	struct Sending {
		const uint32_t *cells = nullptr; // null: none
		unsigned count = 0, next = 0;
	};

	struct Card {
		std::unique_ptr<Vxt_card> model; // null: the card is not there, only in another rank
		xt_peer_t peer[Links];
		Outgoing out[Links];
		Sending sending[Nics];
		uint32_t blockedNics = 0;
		bool keepalive = false;
	};

	struct Fault {
		xt_fault_t what;
		uint64_t seen;
		bool done;
	};

	explicit Cosim(const xt_network_t &network);

	bool has(unsigned card) const
	{
		return cards[card].model != nullptr;
	}
	// Ports of links to cards that are not there, which would train for ever: they are disabled.
	uint32_t portsBeyond(unsigned card) const
	{
		uint32_t ports = 0;

		for (unsigned port = 0; port < Links; port++) {
			const xt_peer_t peer = cards[card].peer[port];

			ports |= (peer.card != XT_NO_CARD && !has(peer.card) ? 1u : 0u) << port;
		}
		return ports;
	}

	Arrivals &arrivalsOf(uint64_t cycle, unsigned card)
	{
		return arrivals[cycle % slots * cards.size() + card];
	}

	VerilatedContext context;
	std::vector<Card> cards;
	unsigned latency;
	bool evaluateAll;
	uint64_t slots;
	std::vector<Arrivals> arrivals; // [cycle % slots][card]
	std::vector<uint64_t> portCells;
	std::vector<Fault> faults;
	Wave wave;

	uint64_t now = 0;            // cycles since the construction
	uint64_t cycle = 0;          // cycles since the start of the run
	unsigned addressed = NoCard; // by AXI4-Lite
	// The last run ended with packets that will never move again: busy cards need no evaluation.
	bool stands = false;
};
