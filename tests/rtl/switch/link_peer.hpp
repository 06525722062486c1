// SPDX-License-Identifier: Apache-2.0
//
// The other end of a link. It makes frames of cells and credits and takes them apart, by the protocol of the
// profile's links. It checks every frame of the card.
//
// With a link layer it trains, numbers cells and credits, and keeps the unacknowledged ones. After a nack, or
// a time without acknowledgement, it repeats them. These are failures, unless the test has spoiled frames of
// this link:
// - a frame with a wrong CRC;
// - a number that is not the next;
// - an acknowledgement of something never sent;
// - a repetition that nobody asked for.
#pragma once

#include <cstdint>
#include <deque>

#include "card_under_test.hpp"
#include "failure.hpp"
#include "random.hpp"

// Go-back-N: the items that are not acknowledged, and which of them is to be sent next.
template <typename Item> class RetrySender
{
      public:
	RetrySender(unsigned sequence_bits, unsigned window) : mask_((1u << sequence_bits) - 1), window_(window)
	{
	}
	void push(const Item &item)
	{
		items_.push_back(item);
	}
	bool waiting() const
	{
		return next_ < items_.size() && next_ < window_;
	}
	bool settled() const
	{
		return items_.empty();
	}
	// The next item and its sequence number.
	const Item &take(unsigned &sequence, uint64_t now)
	{
		sequence = (first_ + static_cast<unsigned>(next_)) & mask_;
		if (next_ == 0) {
			since_ = now;
		}
		next_++;
		sent_ = next_ > sent_ ? next_ : sent_;
		return items_[next_ - 1];
	}
	// False: an acknowledgement of items that were never sent.
	bool acknowledge(unsigned sequence, bool nack, uint64_t now)
	{
		size_t newly = (sequence - first_) & mask_;

		if (newly > sent_) {
			return false;
		}
		if (newly) {
			items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(newly));
			first_ = sequence;
			next_ = next_ > newly ? next_ - newly : 0;
			sent_ -= newly;
			since_ = now;
		}
		if (nack) {
			go_back(now);
		}
		return true;
	}
	// Once per cycle.
	void tick(uint64_t now)
	{
		if (sent_ && now - since_ > timeout_) {
			go_back(now);
		}
	}
	uint64_t replays = 0;

      private:
	void go_back(uint64_t now)
	{
		replays += sent_ > 0;
		next_ = 0;
		since_ = now;
	}

	static constexpr uint64_t timeout_ = 300; // cycles without progress
	uint32_t mask_, first_ = 0;               // sequence number of the first item
	size_t window_, next_ = 0, sent_ = 0;     // of the items: next to be sent, sent at least once
	uint64_t since_ = 0;                      // last progress, or last time from the start
	std::deque<Item> items_;
};

class RetryReceiver
{
      public:
	enum class Verdict { next, repeated, ahead };

	explicit RetryReceiver(unsigned sequence_bits) : mask_((1u << sequence_bits) - 1)
	{
	}
	Verdict item(unsigned sequence)
	{
		unsigned distance = (sequence - expected_) & mask_;

		pending_ = true;
		if (distance == 0) {
			expected_ = (expected_ + 1) & mask_;
			missed_ = nack_ = false;
			return Verdict::next;
		}
		if (distance <= mask_ / 2) {
			missed();
			return Verdict::ahead;
		}
		return Verdict::repeated;
	}
	// Something was lost; told once until the missing item comes.
	void missed()
	{
		nack_ = nack_ || !missed_;
		missed_ = true;
	}
	bool pending() const
	{
		return pending_ || nack_;
	}
	unsigned expected() const
	{
		return expected_;
	}
	// Ack and nack leave.
	bool take_nack()
	{
		bool nack = nack_;

		pending_ = nack_ = false;
		return nack;
	}

      private:
	uint32_t mask_, expected_ = 0;
	bool missed_ = false, nack_ = false, pending_ = false;
};

class LinkPort
{
      public:
	LinkPort(unsigned port, uint64_t seed);

	// What came in this cycle: after receive().
	bool cell_valid = false, credit_valid = false, poison = false;
	unsigned cell_vc = 0, credit_vc = 0;
	Cell cell{};

	// First in a cycle: takes the frame at the card's pins.
	void receive(const Card &card, uint64_t now);
	// Then at most one of each; they leave in this cycle, unless something has to be repeated.
	void send_cell(unsigned vc, const Cell &cell, bool poisoned = false);
	void send_credit(unsigned vc);
	// Last in a cycle: drives the card's pins.
	void transmit(Card &card, uint64_t now);

	// Both ends are up and the card may be sent packets.
	bool ready(uint64_t now) const;
	// Everything sent is acknowledged and every acknowledgement sent.
	bool settled() const;

	// The link may go down. It stays down at this end until restart(), which begins training with nothing
	// sent and nothing owed.
	bool may_fail = false;
	void restart();
	bool is_down() const
	{
		return state_ == State::down;
	}
	// Hears nothing and says nothing.
	bool dead = false;
	// Cycles after which something is said if there was nothing to say; 0: never.
	unsigned keepalive = 0;
	uint64_t last_heard = 0;    // cycle of the last frame from the card
	uint64_t longest_quiet = 0; // between two of them, since the test cleared it

	// Faults, with a link layer: the next so many frames with a cell or a credit are lost on their way to the
	// card, or from it, or get there with wrong bits; or any frame by chance, half of them lost, half spoiled.
	unsigned lose_sent = 0, lose_received = 0, spoil_sent = 0;
	double error_rate = 0;
	uint64_t errors = 0; // of these, so far
	// Times that this end, or the card as far as can be seen, sent something again.
	uint64_t replays() const
	{
		return cells_out_.replays + credits_out_.replays;
	}
	uint64_t repeated = 0;

      private:
	struct VcCell {
		unsigned vc;
		Cell cell;
		bool poisoned;
	};
	enum class State { train, up, down };

	void receive_plain(const Frame &frame);
	void receive_layer(Frame frame, uint64_t now);
	void receive_normal(const Frame &frame, uint64_t now);
	bool strikes(unsigned &next);
	void check(RetryReceiver::Verdict verdict, const char *what, unsigned sequence, uint64_t now);
	bool make_frame(Frame &frame, uint64_t now);

	unsigned port_;
	Random random_;
	State state_ = State::train;
	bool heard_ = false, answer_ = false;
	uint64_t last_train_ = 0, last_said_ = 0;
	RetrySender<VcCell> cells_out_;
	RetrySender<unsigned> credits_out_;
	RetryReceiver cells_in_, credits_in_;
	Frame plain_{}; // of a link without a link layer, as far as it is filled
	bool plain_valid_ = false;
};

// The check word of the bits below `bits`: see xt_link_check.
uint32_t frame_check(const Frame &frame, unsigned bits);
