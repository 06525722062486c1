// SPDX-License-Identifier: Apache-2.0
//
// A network of Verilated cards, one instance each, stepped cycle by cycle.
//
// A frame at an output pin in cycle t is at the peer's input pin in cycle t + latency, unless the link has to
// lose or spoil the frame. All outputs of a card are registered, so any order of evaluation within a cycle is
// right. A card with idle_o set that sends nothing needs no evaluation until something reaches one of its
// inputs.
#pragma once

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

class Network
{
      public:
	// Throws std::bad_alloc. The cards are in reset.
	explicit Network(const xt_network_t &network);

	// Out of reset, until every card has initialised its tables and buffers. Links may still be training.
	int reset(xt_diag_t *diag);
	// Opens the wave file, if one is wanted.
	int openWave(const xt_network_t &network, xt_diag_t *diag);

	// AXI4-Lite transfers, cycle by cycle; the network runs on meanwhile, its PEs take nothing.
	int read(unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
	int write(unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);

	// All tables of a card, past its registers.
	void setTables(unsigned card, const uint64_t *grt, const uint64_t *lrt);

	int run(const xt_client_t &client, xt_diag_t *diag);
	void addFault(const xt_fault_t &fault);
	// Faults that have not happened yet.
	unsigned faultsWaiting() const;

	// Card-cycles of the last run that were not skipped.
	uint64_t evaluated() const
	{
		return evaluated_;
	}
	// Frames of the last run that met a random error.
	uint64_t errorsInjected() const
	{
		return errors_;
	}
	// Cycle of the last run in which a link port first said that its link is down; UINT64_MAX: it did not.
	uint64_t downSince(unsigned card, unsigned port) const
	{
		return cards_[card].out[port].downSince;
	}
	// For tests.
	const Vxt_card &model(unsigned card) const
	{
		return *cards_[card].model;
	}

      private:
	static constexpr unsigned Links = EXTORUS_LINK_PORTS;
	static constexpr unsigned Nics = EXTORUS_NIC_PORTS;
	static constexpr unsigned Ports = EXTORUS_PORTS;
	static constexpr unsigned CellBits = EXTORUS_CELL_BITS;
	static constexpr unsigned CellWords = (CellBits + 31) / 32;

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
		std::unique_ptr<Vxt_card> model;
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

	static constexpr unsigned NoCard = UINT32_MAX;

	bool quiet() const
	{
		return inTransit_ == 0 && busy_.empty() && sending_.empty();
	}
	// Until nothing of an earlier run is left in the cards.
	int settle(xt_diag_t *diag);
	void step(const xt_client_t *client);
	void startPackets(const xt_client_t &client);
	void drive(unsigned card, const xt_client_t *client);
	void driveNics(unsigned card, const xt_client_t *client);
	void clock(unsigned card);
	void collect(unsigned card, const xt_client_t *client);
	void sendFrame(unsigned card, unsigned port, const xt_client_t *client);
	void sendCell(unsigned card, unsigned port, const Frame &frame, const xt_client_t *client);
	void spoilCell(unsigned card, unsigned port, Frame &frame);
	bool loseCredit(unsigned card, unsigned port);
	bool passCredit(unsigned card, unsigned port, Frame &frame);
	bool spoil(Outgoing &out, double rate, Frame &frame);
	void startFaults();
	void prepareLinks(const xt_client_t &client);
	Arrivals &arrivals(uint64_t cycle, unsigned card)
	{
		return arrivals_[cycle % slots_ * cards_.size() + card];
	}
	CardSet &arriving(uint64_t cycle)
	{
		return arriving_[cycle % slots_];
	}

	VerilatedContext context_;
	std::vector<Card> cards_;
	unsigned latency_;
	bool evaluateAll_;
	uint64_t slots_;
	std::vector<Arrivals> arrivals_; // [cycle % slots_][card]
	std::vector<CardSet> arriving_;  // cards with arrivals, by cycle % slots_

	uint64_t now_ = 0;            // cycles since the construction
	uint64_t cycle_ = 0;          // cycles since the start of the run
	CardSet busy_;                // not idle after their last evaluation
	CardSet sending_;             // a NIC is within a packet
	CardSet work_;                // evaluated in this cycle
	unsigned addressed_ = NoCard; // by AXI4-Lite
	uint64_t inTransit_ = 0;      // frames on links
	unsigned keepalives_ = 0;     // cards whose links have timers that run while it is quiet
	// The last run ended with packets that will never move again: busy cards need no evaluation.
	bool stands_ = false;
	uint64_t moves_ = 0;
	uint64_t evaluated_ = 0;
	uint64_t errors_ = 0;
	std::vector<uint64_t> portCells_;
	std::vector<Fault> faults_;
	Wave wave_;
};
