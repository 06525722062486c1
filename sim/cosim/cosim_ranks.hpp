// SPDX-License-Identifier: Apache-2.0
//
// A run of Verilated cards on several ranks: each steps cards of its own, and sends each neighbour the frames that
// leave for the neighbour's cards, once in latency + 1 cycles. Rank 0 has the client, so the others send it what their
// parts have to tell.
#pragma once

#include "part_journal.hpp"

class CosimRanks
{
      public:
	enum Kind : uint32_t {
		Go,     // on to cycle `until`
		Settle, // tell what the own cards have counted
		Stop,   // likewise; then the run is over
		Read,   // registers, once the run is over
		Write,
		End,
	};

	struct Command {
		Kind kind;
		uint32_t decision; // of Go; of Stop: the ranks go on together
		uint32_t stands;   // of Stop: nothing will move again
		uint32_t card, address, count;
		uint64_t until;
	};

	// Throws std::bad_alloc.
	CosimRanks(Cosim &cosim, const xt_client_t &client);
	CosimRanks(const CosimRanks &) = delete;
	CosimRanks &operator=(const CosimRanks &) = delete;
	// Rank 0 lets the others go.
	~CosimRanks();

	bool leads() const
	{
		return own_ == 0;
	}
	uint32_t first() const
	{
		return cards_[own_];
	}
	uint32_t end() const
	{
		return cards_[own_ + 1];
	}

	// The largest of what all ranks say.
	int latest(uint64_t &cycle, xt_diag_t *diag);

	// A frame for another rank's card.
	void leave(const Part::Crossing &crossing)
	{
		leaving_[ownerOf(crossing.card)].push_back(crossing);
	}
	// After an epoch of so many cycles: sends, and takes what the neighbours have sent in it.
	int exchange(const std::vector<Journal> &own, unsigned cycles, std::vector<Part::Crossing> &arrived,
		xt_diag_t *diag);
	// Of the other ranks' parts in that epoch, in the order of their cards; on rank 0.
	std::vector<std::vector<Journal>> &told()
	{
		return told_;
	}

	int command(const Command &command, xt_diag_t *diag);
	int takeCommand(Command &command, std::vector<uint32_t> &words, xt_diag_t *diag);

	// What the own cards have counted; rank 0 adds it to what it knows.
	struct Counts {
		uint64_t evaluated, errors;
	};
	int sendCounts(const Counts &own, xt_diag_t *diag);
	int takeCounts(Counts &all, xt_rank_times_t *times, xt_diag_t *diag);

	// Registers of another rank's card. All ranks hear of it, or that one.
	int order(const Command &command, const uint32_t *given, bool everyone, xt_diag_t *diag);
	int takeAnswer(const Command &command, uint32_t *taken, xt_diag_t *diag);
	// The rank that has the card tells all others how many cycles it steps, and whether it goes on after them.
	int pace(uint32_t cycles, bool on, xt_diag_t *diag);
	int takePace(uint32_t card, uint32_t &cycles, bool &on, xt_diag_t *diag);
	// With the cycles in which the card's links went down, perhaps since the run.
	int answer(
		uint32_t card, int status, const std::vector<uint32_t> &values, const xt_diag_t &why, xt_diag_t *diag);

	void serves()
	{
		serves_ = true;
	}

	xt_rank_times_t times{};

      private:
	struct Head;

	unsigned ownerOf(uint32_t card) const
	{
		unsigned rank = 0;

		while (card >= cards_[rank + 1]) {
			rank++;
		}
		return rank;
	}
	void findNeighbours();
	uint32_t sumOf() const;
	int send(unsigned to, const std::vector<Journal> &own, unsigned cycles, xt_diag_t *diag);
	int take(unsigned from, unsigned cycles, std::vector<Part::Crossing> &arrived, xt_diag_t *diag);
	int receive(unsigned from, unsigned tag, double timeout, xt_bytes_t &bytes, xt_diag_t *diag);
	int takeWord(unsigned from, unsigned tag, uint64_t &word, xt_diag_t *diag);

	Cosim &cosim_;
	xt_ranks_t *ranks_;
	unsigned own_, count_;
	double timeout_;
	std::vector<uint32_t> cards_; // [count + 1]: the first of each rank
	std::vector<uint8_t> neighbour_;
	std::vector<std::vector<Part::Crossing>> leaving_;
	std::vector<xt_bytes_t> out_; // [count]
	std::vector<void *> posted_;  // likewise: MPI may still read it
	std::vector<std::vector<Journal>> told_;
	xt_bytes_t in_{};
	uint32_t sum_ = 0; // of network and partition
	bool serves_ = false, broken_ = false;
};
