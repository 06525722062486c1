// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "../switch/random.hpp"
#include "link_frame.hpp"

class Vxt_link;

// One xt_link with the switch around it: a source of packets that obeys credits and hold_o, and an input
// buffer whose cells are freed in any order of cycles. What comes out is held against what the other end
// was given.
class End
{
      public:
	End(unsigned number, uint64_t seed);
	~End();

	// One clock cycle in three steps, so that both ends see each other's registers of the same cycle.
	std::optional<Frame> frame_out() const;
	void drive(const std::optional<Frame> &frame_in, uint64_t now);
	void clock();

	State state() const;
	Cause cause() const;
	bool active() const;
	bool down() const;
	bool hold() const;
	bool received() const; // a cell comes out to the switch
	void reset();

	End *peer = nullptr;

	// What the switch does.
	double load = 0;    // chance per cycle to start a packet
	double gap = 0;     // chance per cycle to pause within one
	double freeing = 1; // chance per cycle to free a cell
	unsigned longest = packet_cells;
	bool start_while_down = false;
	bool keep_buffer = false; // input_empty_i stays 0

	// Control; retrain is a pulse.
	bool retrain = false, disable = false;
	unsigned timeout = 256, retry_limit = 8, keepalive = 0;

	struct Events {
		uint64_t crc_errors, nacks, replays, timeouts, retrains, cuts, dropped, lost, restarts;
	} events = {};
	// Packets begun by the switch; those that came out whole; those completed with poison.
	uint64_t begun = 0, whole = 0, completed = 0;
	uint64_t cells_out = 0, credits_out = 0;
	uint64_t cells_driven = 0;
	uint64_t up_since = 0, down_since = 0; // cycles
	uint64_t last_cell_driven = 0, last_cell_out = 0;

	bool quiet() const // everything given to the other end has arrived there, credits too
	{
		return sent_cells_.empty() && sent_credits_.empty() && !in_packet_ && buffer_.empty();
	}

	bool in_packet() const // the switch has begun a packet and not ended it
	{
		return in_packet_;
	}

      private:
	struct Sent {
		uint32_t data;
		unsigned vc;
		bool poison;
	};

	void take(uint64_t now);
	void feed(uint64_t now);
	void free_cells();

	unsigned number_;
	Random random_;
	struct Model;
	std::unique_ptr<Model> model_;
	Vxt_link *pins_;
	State previous_state_ = State::train;
	uint64_t now_ = 0;

	// Source.
	std::deque<Sent> sent_cells_;       // given to this link, not yet out at the other end
	std::deque<unsigned> sent_credits_; // the same
	bool in_packet_ = false, continued_ = false, accepted_ = false;
	unsigned left_ = 0, vc_ = 0, credits_ = buffer_cells;
	unsigned hold_history_ = 0;

	// Sink.
	std::deque<unsigned> buffer_; // VCs of the cells
	bool receiving_ = false, poisoned_ = false;
	unsigned missing_ = 0, receiving_vc_ = 0;
	unsigned lookahead_vc_[3] = {}, lookahead_dest_[3] = {};
};
