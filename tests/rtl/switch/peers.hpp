// SPDX-License-Identifier: Apache-2.0
//
// The peers at the card's ports. Link peers keep the credit protocol on both sides, over the frames of a
// LinkPort. A NIC has an AXI4-Stream source and sink. Each is called once per cycle, before Card::tick().
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "bench_packet.hpp"
#include "card_under_test.hpp"
#include "link_peer.hpp"
#include "random.hpp"

// From an output pin over a link of one cycle, through a register of the peer and its link layer, and back:
// no peer answers sooner, and the card may rely on it.
inline unsigned shortest_round_trip()
{
	return shape().frame.layer ? 3 + 4 : 3;
}

// The sender's view of one input buffer: each VC owns `reserved` cells, the rest is a pool for all.
class CreditAccount
{
      public:
	void take(unsigned vc, unsigned cells)
	{
		used_[vc] += cells;
	}
	// False if there was nothing to give back.
	bool give(unsigned vc);
	unsigned used(unsigned vc) const
	{
		return used_[vc];
	}
	unsigned total() const;
	// Cells that may still be sent on `vc`; negative if the buffer is overdrawn.
	int room(unsigned vc) const;

      private:
	std::array<unsigned, XT_MAX_VCS> used_{};
};

struct SourceCounts {
	std::array<uint64_t, XT_MAX_TCS> packets{}, cells{};
	uint64_t illegal = 0, misframed = 0;
};

// Packets wait in one queue per VC (at a NIC: per TC), so that the source itself holds nothing up
// that the card's virtual channels would let pass.
class Source
{
      public:
	Source(unsigned port, Scoreboard &board, uint64_t seed);
	virtual ~Source() = default;

	// Appends to the queue of packet.in_vc.
	void push(const Packet &packet);
	// Asked for the next packet of a VC in `generated_vcs` whenever its queue is empty.
	std::function<Packet(unsigned vc)> generator;
	uint32_t generated_vcs = 0;

	double gap_between = 0; // chance per cycle of not starting a packet that could start
	double gap_within = 0;  // chance per cycle of pausing inside a packet

	bool sending() const
	{
		return sending_;
	}
	size_t queued() const;
	size_t queued(unsigned vc) const
	{
		return queue_[vc].size();
	}
	void drop_queues();
	// Ends a packet that is being sent, as if all of it had gone.
	void abandon();
	const SourceCounts &counts() const
	{
		return counts_;
	}
	uint64_t window_cells = 0; // sent since the test cleared it
	uint64_t last_progress = 0;

      protected:
	void refill();
	void begin(unsigned vc, uint64_t now);

	unsigned port_;
	Scoreboard &board_;
	Random random_;
	std::array<std::deque<Packet>, XT_MAX_VCS> queue_;
	bool sending_ = false;
	Packet current_;
	unsigned index_ = 0; // next cell of current_
	SourceCounts counts_;
};

class LinkSource : public Source
{
      public:
	using Source::Source;
	unsigned most_per_vc = ~0u;                    // cells of one VC in the card's buffer, if it has room for more
	unsigned credit_delay = shortest_round_trip(); // cycles from a credit at the card's pin to its use
	void cycle(LinkPort &link, uint64_t now);
	const CreditAccount &account() const
	{
		return account_;
	}
	// The link starts over: all of the card's buffer is free.
	void restart();

      private:
	CreditAccount account_;                   // debited a whole packet at a time
	std::array<unsigned, XT_MAX_VCS> wire_{}; // cells really sent and not yet credited
	std::deque<std::pair<uint64_t, unsigned>> returning_;
};

class NicSource : public Source
{
      public:
	using Source::Source;
	void cycle(Card &card, uint64_t now);

      private:
	bool offered_ = false; // tvalid was up without tready: the beat must stay
};

struct SinkCounts {
	std::array<uint64_t, XT_MAX_TCS> packets{}, cells{};
};

class Sink
{
      public:
	Sink(unsigned port, Scoreboard &board, uint64_t seed);
	virtual ~Sink() = default;

	bool gapless = false; // a pause inside a packet is a failure

	bool receiving() const
	{
		return receiving_;
	}
	const SinkCounts &counts() const
	{
		return counts_;
	}
	uint64_t last_progress = 0;
	// Counts packets that the card sends to nobody, since the link is down.
	void count_swallowed(const std::deque<Packet> &packets);

	// Statistics since the test cleared them.
	struct Window {
		uint64_t cells = 0, packets = 0;
		std::array<uint64_t, XT_MAX_PORTS> from_port{};                    // cells by input port
		std::array<std::array<uint64_t, XT_MAX_VCS>, XT_MAX_PORTS> from{}; // cells by input port and VC
		std::array<uint64_t, XT_MAX_VCS> out_vc{};
		uint64_t latency_sum = 0, latency_min = UINT64_MAX, latency_max = 0;
		uint64_t poisoned = 0; // packets
		uint64_t last_duration =
			0; // of the last whole packet, from its first cell at the input to its last here
	} window;

      protected:
	// A beat; `vc` is 0 at a NIC.
	void take(const Cell &cell, unsigned vc, bool poisoned, uint64_t now);

	unsigned port_;
	Scoreboard &board_;
	Random random_;
	bool receiving_ = false;
	Packet current_;
	unsigned index_ = 0;
	SinkCounts counts_;
};

class LinkSink : public Sink
{
      public:
	using Sink::Sink;
	unsigned return_delay = shortest_round_trip(); // cycles from a cell at the card's pin to its credit
	unsigned return_delay_extra = 0;               // up to so many more, at random
	double return_gap = 0;                         // chance per cycle of returning none: the buffer stays full
	// Credits of these VCs are kept until the bit is cleared.
	uint32_t withheld = 0;
	// Drops the next so many credits for good: a fault for the card's counters to show. (A link layer
	// loses none.)
	unsigned lose_credits = 0;
	void cycle(LinkPort &link, uint64_t now);
	const CreditAccount &account() const
	{
		return account_;
	}
	// The link starts over: all of this buffer is free.
	void restart();
	// Least room that a packet must have found here, besides what it needs itself.
	std::function<int(const Packet &)> least_room;

      private:
	CreditAccount account_;
	std::array<std::deque<uint64_t>, XT_MAX_VCS> due_;
	unsigned next_vc_ = 0;
};

class NicSink : public Sink
{
      public:
	using Sink::Sink;
	double stall = 0; // chance per cycle of tready low; 1 stops it
	void cycle(Card &card, uint64_t now);

      private:
	bool waiting_ = false; // tvalid was up without tready: the beat must stay
	Cell waiting_cell_{};
	bool waiting_last_ = false;
};
