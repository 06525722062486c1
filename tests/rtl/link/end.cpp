// SPDX-License-Identifier: Apache-2.0
#include "end.hpp"

#include "../switch/failure.hpp"
#include "verilated.h"
#include "Vxt_link.h"

// Cycles from hold_o to the last packet that may still begin: the scheduler's pipeline.
static const unsigned hold_delay = 4;

// An assertion in the RTL failed; its message has been printed. The test that runs fails, not the program.
// (The model is compiled with VL_USER_STOP.)
void vl_stop(const char *file, int line, const char *)
{
	fail("an assertion of the RTL failed at %s:%d (the line above names it)", file, line);
}

struct End::Model {
	VerilatedContext context;
	Vxt_link top;

	explicit Model(uint64_t seed) : top((prepare(context, seed), &context), "link")
	{
	}

	// The model goes before its context, and takes its leave from the thread's current one.
	~Model()
	{
		Verilated::threadContextp(&context);
	}
	static void prepare(VerilatedContext &context, uint64_t seed)
	{
		context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
		context.randReset(2);
	}
};

End::End(unsigned number, uint64_t seed) : number_(number), random_(seed), model_(new Model(seed)), pins_(&model_->top)
{
	reset();
}

End::~End()
{
	pins_->final();
}

void End::reset()
{
	pins_->rst_ni = 0;
	for (int i = 0; i < 2; i++) {
		pins_->clk_i = 0;
		pins_->eval();
		pins_->clk_i = 1;
		pins_->eval();
	}
	pins_->rst_ni = 1;
	previous_state_ = State::train;
}

State End::state() const
{
	return static_cast<State>(pins_->state_o);
}

Cause End::cause() const
{
	return static_cast<Cause>(pins_->cause_o);
}

bool End::active() const
{
	return pins_->active_o;
}

bool End::down() const
{
	return pins_->down_o;
}

bool End::hold() const
{
	return pins_->hold_o;
}

bool End::received() const
{
	return pins_->rx_valid_o;
}

std::optional<Frame> End::frame_out() const
{
	Frame frame;

	if (!pins_->link_valid_o) {
		return {};
	}
	for (unsigned i = 0; i < frame.size(); i++) {
		frame[i] = pins_->link_frame_o[i];
	}
	if (!check_is_right(frame)) {
		fail("cycle %llu: end %u sends a frame with a wrong check word", static_cast<unsigned long long>(now_),
			number_);
	}
	return frame;
}

// What comes out of the link to the switch.
void End::take(uint64_t now)
{
	unsigned long long cycle = now;

	if (pins_->rx_valid_o) {
		uint32_t data = pins_->rx_cell_o;
		unsigned vc = pins_->rx_vc_o;
		bool poison = pins_->rx_poison_o;
		bool completion = previous_state_ != State::up;

		cells_out++;
		last_cell_out = now;
		if (completion) {
			if (!receiving_ || data || !poison || vc != receiving_vc_) {
				fail("cycle %llu: end %u: %s cell %08x VC %u although the link is not up", cycle,
					number_, receiving_ ? "wrong" : "unexpected", data, vc);
			}
			poisoned_ = true;
		} else {
			if (peer->sent_cells_.empty()) {
				fail("cycle %llu: end %u: cell %08x that was never sent", cycle, number_, data);
			}
			Sent sent = peer->sent_cells_.front();

			peer->sent_cells_.pop_front();
			if (data != sent.data || vc != sent.vc || poison != sent.poison) {
				fail("cycle %llu: end %u: cell %08x VC %u poison %d, expected %08x VC %u poison %d",
					cycle, number_, data, vc, poison, sent.data, sent.vc, sent.poison);
			}
			if (!receiving_ && (lookahead_vc_[2] != vc || lookahead_dest_[2] != (data & 0xff))) {
				fail("cycle %llu: end %u: cell %08x was not announced 2 cycles before", cycle, number_,
					data);
			}
		}
		if (!receiving_) {
			missing_ = (data >> length_lsb) % packet_cells + 1;
			receiving_vc_ = vc;
			poisoned_ = false;
		}
		receiving_ = --missing_ > 0;
		if (!receiving_) {
			(poisoned_ ? completed : whole)++;
		}
		buffer_.push_back(vc);
		if (buffer_.size() > buffer_cells) {
			fail("cycle %llu: end %u: the input buffer overflows", cycle, number_);
		}
	} else if (receiving_ && state() != State::up && previous_state_ != State::up) {
		fail("cycle %llu: end %u: a cut packet waits for %u cells", cycle, number_, missing_);
	}
	if (pins_->rx_credit_valid_o) {
		unsigned vc = pins_->rx_credit_vc_o;

		credits_out++;
		if (peer->sent_credits_.empty() || peer->sent_credits_.front() != vc) {
			fail("cycle %llu: end %u: credit of VC %u, %s", cycle, number_, vc,
				peer->sent_credits_.empty() ? "but none was sent" : "expected the other VC");
		}
		peer->sent_credits_.pop_front();
		if (++credits_ > buffer_cells) {
			fail("cycle %llu: end %u: more credits than cells", cycle, number_);
		}
	}
}

// What the switch gives to the link.
void End::feed(uint64_t now)
{
	bool up = state() == State::up;

	hold_history_ = hold_history_ << 1 | (pins_->hold_o != 0);
	pins_->tx_valid_i = 0;
	if (!in_packet_) {
		unsigned length = random_.between(1, longest);
		bool flows = up && !pins_->down_o;

		if (!random_.chance(load) || (hold_history_ >> hold_delay & 1)) {
			return;
		}
		if (flows ? credits_ < length : !start_while_down) {
			return;
		}
		in_packet_ = true;
		accepted_ = flows;
		left_ = length;
		vc_ = random_.below(vc_count);
		begun++;
		if (flows) {
			credits_ -= length;
		}
	} else if (random_.chance(gap)) {
		return;
	}
	// The header is the first cell, but its length field is in every cell: it must not matter there.
	uint32_t data = static_cast<uint32_t>(random_.next());

	if (!continued_) {
		data = (data & ~(7u << length_lsb)) | (left_ - 1) << length_lsb;
	}
	bool poison = random_.chance(0.05);

	continued_ = left_ > 1;
	in_packet_ = --left_ > 0;
	accepted_ = accepted_ && up;
	pins_->tx_valid_i = 1;
	pins_->tx_vc_i = vc_;
	pins_->tx_cell_i = data;
	pins_->tx_poison_i = poison;
	if (accepted_) {
		sent_cells_.push_back({data, vc_, poison});
		cells_driven++;
		last_cell_driven = now;
	}
}

void End::free_cells()
{
	pins_->tx_credit_valid_i = 0;
	if (!buffer_.empty() && !keep_buffer && random_.chance(freeing)) {
		unsigned vc = buffer_.front();

		buffer_.pop_front();
		pins_->tx_credit_valid_i = 1;
		pins_->tx_credit_vc_i = vc;
		if (state() == State::up) {
			sent_credits_.push_back(vc);
		}
	}
}

void End::drive(const std::optional<Frame> &frame_in, uint64_t now)
{
	now_ = now;
	if (state() == State::up && previous_state_ != State::up) {
		up_since = now;
		sent_cells_.clear();
		sent_credits_.clear();
		accepted_ = false;
	}
	if (pins_->restart_o) {
		events.restarts++;
		credits_ = buffer_cells;
		if (!pins_->down_o || !pins_->hold_o) {
			fail("cycle %llu: end %u restarts without hold", static_cast<unsigned long long>(now), number_);
		}
	}
	free_cells();
	take(now);
	feed(now);
	previous_state_ = state();

	pins_->link_valid_i = frame_in.has_value();
	if (frame_in) {
		for (unsigned i = 0; i < frame_in->size(); i++) {
			pins_->link_frame_i[i] = (*frame_in)[i];
		}
	}
	pins_->input_empty_i = buffer_.empty() && !keep_buffer && !pins_->rx_valid_o;
	pins_->retrain_i = retrain;
	pins_->disable_i = disable;
	pins_->now_i = static_cast<uint16_t>(now);
	pins_->expiry_i = static_cast<uint16_t>(now + timeout);
	pins_->retry_limit_i = static_cast<uint8_t>(retry_limit);
	pins_->retries_i = retry_limit != 0;
	pins_->keepalive_i = static_cast<uint16_t>(keepalive);
	pins_->keeps_alive_i = keepalive != 0;
	retrain = false;
	pins_->clk_i = 0;
	pins_->eval();

	lookahead_vc_[0] = pins_->lookahead_vc_o;
	lookahead_dest_[0] = pins_->lookahead_dest_o;

	events.crc_errors += pins_->crc_error_o;
	events.nacks += pins_->nack_o;
	events.replays += pins_->replay_o;
	events.timeouts += pins_->timeout_o;
	events.retrains += pins_->retrain_o;
	events.cuts += pins_->cut_o;
	events.dropped += pins_->dropped_o;
	events.lost += pins_->lost_o;
	if (pins_->dropped_o && pins_->lost_o) {
		fail("cycle %llu: end %u counts two packets in one cycle, of which its port sees one",
			static_cast<unsigned long long>(now), number_);
	}
}

void End::clock()
{
	State before = state();

	pins_->clk_i = 1;
	pins_->eval();
	if (state() == State::down && before != State::down) {
		down_since = now_ + 1;
	}
	for (unsigned i = 2; i > 0; i--) {
		lookahead_vc_[i] = lookahead_vc_[i - 1];
		lookahead_dest_[i] = lookahead_dest_[i - 1];
	}
}
