// SPDX-License-Identifier: Apache-2.0
//
// Consecutive cards of a network, which one thread steps. A frame at an output pin in cycle t is at the peer's input
// pin in cycle t + latency, so parts exchange frames once in latency + 1 cycles. All outputs of a card are registered,
// so any order of evaluation within a cycle is right. A card with idle_o set that sends nothing needs no evaluation
// until something reaches one of its inputs.
#pragma once

#include "cosim_cards.hpp"

class Part
{
      public:
	// A frame for a card of another part.
	struct Crossing {
		uint64_t when;
		uint32_t card, port;
		Frame frame;
	};

	// The cards from `first` to `end` - 1.
	Part(Cosim &cosim, unsigned first, unsigned end);

	// One cycle, `ahead` cycles after the network's present one.
	void step(const xt_client_t *client, unsigned ahead = 0);
	void arrive(const Crossing &crossing);
	void wake(unsigned card)
	{
		busy_.insert(card);
	}
	// Takes over what another part knew of the cards of this one.
	void takeOver(const Part &other);

	bool has(unsigned card) const
	{
		return card >= first_ && card < end_;
	}
	bool isBusy() const
	{
		return !busy_.empty() || !sending_.empty();
	}
	bool isSending() const
	{
		return !sending_.empty();
	}

	unsigned first() const
	{
		return first_;
	}
	unsigned end() const
	{
		return end_;
	}

	std::vector<Crossing> leaving;
	// Frames that cards of this part have sent, less those that have reached one.
	int64_t inTransit = 0;
	uint64_t moves = 0, evaluated = 0, errors = 0;

      private:
	static constexpr unsigned Links = Cosim::Links, Nics = Cosim::Nics, Ports = Cosim::Ports;
	static constexpr unsigned CellBits = Cosim::CellBits, CellWords = Cosim::CellWords;

	void choose(const xt_client_t *client);
	void evaluate(const xt_client_t *client);
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
	bool spoil(Cosim::Outgoing &out, double rate, Frame &frame);
	CardSet &arriving(uint64_t cycle)
	{
		return arriving_[cycle % cosim_.slots];
	}

	Cosim &cosim_;
	unsigned first_, end_;
	uint64_t now_ = 0, cycle_ = 0;  // those of the step
	std::vector<CardSet> arriving_; // cards with arrivals, by cycle % slots
	CardSet busy_;                  // not idle after their last evaluation
	CardSet sending_;               // a NIC is within a packet
	CardSet work_;                  // evaluated in this cycle
};
