// SPDX-License-Identifier: Apache-2.0
#include "link_peer.hpp"

#include "../link/check_column.hpp"

#include <algorithm>
#include <array>

namespace
{

enum : unsigned { ctrl_normal, ctrl_train, ctrl_heard, ctrl_down };

// So long after the last training frame packets may flow; a card must wait for 15 cycles.
const uint64_t quiet_after_training = 20;

void put(Frame &frame, unsigned lsb, unsigned width, uint32_t value)
{
	for (unsigned done = 0; done < width;) {
		unsigned at = (lsb + done) % 32, take = std::min(width - done, 32 - at);
		uint32_t mask = (take == 32 ? ~0u : (1u << take) - 1) << at, &word = frame[(lsb + done) / 32];

		word = (word & ~mask) | ((value >> done) << at & mask);
		done += take;
	}
}

uint32_t get(const Frame &frame, unsigned lsb, unsigned width)
{
	uint32_t value = 0;

	for (unsigned done = 0; done < width;) {
		unsigned at = (lsb + done) % 32, take = std::min(width - done, 32 - at);
		uint32_t part = frame[(lsb + done) / 32] >> at;

		value |= (take == 32 ? part : part & ((1u << take) - 1)) << done;
		done += take;
	}
	return value;
}

void put_cell(Frame &frame, const Cell &cell)
{
	const xt_frame_layout_t &f = shape().frame;

	for (unsigned done = 0; done < f.cell_bits; done += 32) {
		put(frame, f.cell_lsb + done, std::min(32u, f.cell_bits - done), cell[done / 32]);
	}
}

Cell get_cell(const Frame &frame)
{
	const xt_frame_layout_t &f = shape().frame;
	Cell cell{};

	for (unsigned done = 0; done < f.cell_bits; done += 32) {
		cell[done / 32] = get(frame, f.cell_lsb + done, std::min(32u, f.cell_bits - done));
	}
	return cell;
}

} // namespace

uint32_t frame_check(const Frame &frame, unsigned bits)
{
	static const auto columns = [] {
		std::array<uint32_t, 270> found{};

		for (unsigned n = 0; n < found.size(); n++) {
			found[n] = check_column(n);
		}
		return found;
	}();
	uint32_t check = 0xffff;

	for (unsigned n = 0; n < bits; n++) {
		check ^= get(frame, bits - 1 - n, 1) ? columns[n] : 0;
	}
	return check;
}

LinkPort::LinkPort(unsigned port, uint64_t seed)
    : port_(port), random_(seed), cells_out_(shape().frame.cell_seq_bits, shape().profile->replay_cells),
      credits_out_(shape().frame.credit_seq_bits, shape().buffer_cells), cells_in_(shape().frame.cell_seq_bits),
      credits_in_(shape().frame.credit_seq_bits)
{
}

bool LinkPort::ready(uint64_t now) const
{
	return !shape().frame.layer || (state_ == State::up && now - last_train_ > quiet_after_training);
}

bool LinkPort::settled() const
{
	return !shape().frame.layer || is_down() ||
	       (cells_out_.settled() && credits_out_.settled() && !cells_in_.pending() && !credits_in_.pending() &&
		       state_ == State::up);
}

void LinkPort::restart()
{
	const Shape &s = shape();

	state_ = State::train;
	heard_ = answer_ = false;
	cells_out_ = RetrySender<VcCell>(s.frame.cell_seq_bits, s.profile->replay_cells);
	credits_out_ = RetrySender<unsigned>(s.frame.credit_seq_bits, s.buffer_cells);
	cells_in_ = RetryReceiver(s.frame.cell_seq_bits);
	credits_in_ = RetryReceiver(s.frame.credit_seq_bits);
	dead = false;
}

// Counts down a fault.
bool LinkPort::strikes(unsigned &next)
{
	if (!next) {
		return false;
	}
	next--;
	errors++;
	return true;
}

void LinkPort::receive(const Card &card, uint64_t now)
{
	cell_valid = credit_valid = poison = false;
	cells_out_.tick(now);
	credits_out_.tick(now);
	if (!card.link_valid(port_) || dead) {
		return;
	}
	longest_quiet = std::max(longest_quiet, now - last_heard);
	last_heard = now;
	if (shape().frame.layer) {
		receive_layer(card.link_frame(port_), now);
	} else {
		receive_plain(card.link_frame(port_));
	}
}

void LinkPort::receive_plain(const Frame &frame)
{
	const xt_frame_layout_t &f = shape().frame;

	cell_valid = get(frame, f.cell_valid_lsb, 1);
	cell_vc = get(frame, f.vc_lsb, f.vc_bits);
	cell = get_cell(frame);
	credit_valid = get(frame, f.credit_valid_lsb, 1);
	credit_vc = get(frame, f.credit_vc_lsb, f.credit_vc_bits);
	if (!cell_valid && !credit_valid) {
		fail("port %u: a frame with neither a cell nor a credit", port_);
	}
}

void LinkPort::receive_layer(Frame frame, uint64_t now)
{
	const xt_frame_layout_t &f = shape().frame;
	bool carries = get(frame, f.cell_valid_lsb, 1) || get(frame, f.credit_valid_lsb, 1);
	unsigned ctrl = get(frame, f.ctrl_lsb, f.ctrl_bits);

	if (get(frame, f.check_lsb, f.check_bits) != frame_check(frame, f.check_lsb)) {
		fail("cycle %llu: port %u: the card sent a frame with check word %08x, right is %08x", as_ull(now),
			port_, get(frame, f.check_lsb, f.check_bits), frame_check(frame, f.check_lsb));
	}
	if (ctrl == ctrl_normal && carries && strikes(lose_received)) {
		return;
	}
	if (ctrl == ctrl_normal && random_.chance(error_rate)) {
		errors++;
		if (random_.below(2)) {
			// Came, but was not intact.
			cells_in_.missed();
			credits_in_.missed();
		}
		return;
	}
	switch (ctrl) {
	case ctrl_normal:
		if (state_ == State::up) {
			receive_normal(frame, now);
		}
		break;
	case ctrl_train:
	case ctrl_heard:
		if (state_ == State::down) {
			break;
		}
		if (state_ == State::up && ctrl == ctrl_train && ready(now)) {
			fail("cycle %llu: port %u: the card trains a link that is up", as_ull(now), port_);
		}
		heard_ = true;
		last_train_ = now;
		if (ctrl == ctrl_heard) {
			answer_ = state_ == State::up && !get(frame, f.cell_nack_lsb, 1);
			state_ = State::up;
		}
		break;
	case ctrl_down:
		if (may_fail) {
			// Those that are left of the card's going down do not disturb training.
			state_ = state_ == State::up ? State::down : state_;
			break;
		}
		fail("cycle %llu: port %u: the card says that the link is down", as_ull(now), port_);
	}
}

// Without faults everything must come once and in order.
void LinkPort::check(RetryReceiver::Verdict verdict, const char *what, unsigned sequence, uint64_t now)
{
	if (verdict == RetryReceiver::Verdict::next) {
		return;
	}
	repeated += verdict == RetryReceiver::Verdict::repeated;
	if (!errors) {
		fail("cycle %llu: port %u: %s %u %s", as_ull(now), port_, what, sequence,
			verdict == RetryReceiver::Verdict::repeated ? "was sent again, and nothing was lost"
								    : "came before its turn");
	}
}

void LinkPort::receive_normal(const Frame &frame, uint64_t now)
{
	const xt_frame_layout_t &f = shape().frame;
	unsigned cell_ack = get(frame, f.cell_ack_lsb, f.cell_ack_bits);
	unsigned credit_ack = get(frame, f.credit_ack_lsb, f.credit_ack_bits);
	bool cell_nack = get(frame, f.cell_nack_lsb, 1), credit_nack = get(frame, f.credit_nack_lsb, 1);

	if (get(frame, f.cell_valid_lsb, 1)) {
		unsigned sequence = get(frame, f.cell_seq_lsb, f.cell_seq_bits);
		RetryReceiver::Verdict verdict = cells_in_.item(sequence);

		check(verdict, "cell", sequence, now);
		cell_valid = verdict == RetryReceiver::Verdict::next;
		cell_vc = get(frame, f.vc_lsb, f.vc_bits);
		cell = get_cell(frame);
		poison = get(frame, f.poison_lsb, f.poison_bits);
	}
	if (get(frame, f.credit_valid_lsb, 1)) {
		unsigned sequence = get(frame, f.credit_seq_lsb, f.credit_seq_bits);
		RetryReceiver::Verdict verdict = credits_in_.item(sequence);

		check(verdict, "credit", sequence, now);
		credit_valid = verdict == RetryReceiver::Verdict::next;
		credit_vc = get(frame, f.credit_vc_lsb, f.credit_vc_bits);
	}
	if ((cell_nack || credit_nack) && !errors) {
		fail("cycle %llu: port %u: the card asks for a repetition, and nothing was lost", as_ull(now), port_);
	}
	if (!cells_out_.acknowledge(cell_ack, cell_nack, now) ||
		!credits_out_.acknowledge(credit_ack, credit_nack, now)) {
		fail("cycle %llu: port %u: the card acknowledges cell %u and credit %u, one of which was never sent",
			as_ull(now), port_, cell_ack, credit_ack);
	}
}

void LinkPort::send_cell(unsigned vc, const Cell &c, bool poisoned)
{
	const xt_frame_layout_t &f = shape().frame;

	if (f.layer) {
		cells_out_.push({vc, c, poisoned});
		return;
	}
	put(plain_, f.cell_valid_lsb, 1, 1);
	put(plain_, f.vc_lsb, f.vc_bits, vc);
	put_cell(plain_, c);
	plain_valid_ = true;
}

void LinkPort::send_credit(unsigned vc)
{
	const xt_frame_layout_t &f = shape().frame;

	if (f.layer) {
		credits_out_.push(vc);
		return;
	}
	put(plain_, f.credit_valid_lsb, 1, 1);
	put(plain_, f.credit_vc_lsb, f.credit_vc_bits, vc);
	plain_valid_ = true;
}

// False: nothing is to be said.
bool LinkPort::make_frame(Frame &frame, uint64_t now)
{
	const xt_frame_layout_t &f = shape().frame;
	bool has_cell = cells_out_.waiting(), has_credit = credits_out_.waiting();
	unsigned sequence;

	if (state_ == State::down) {
		return false;
	}
	if (state_ == State::train || answer_) {
		put(frame, f.ctrl_lsb, f.ctrl_bits, heard_ ? ctrl_heard : ctrl_train);
		put(frame, f.cell_nack_lsb, 1, answer_);
		answer_ = false;
		return true;
	}
	if (!has_cell && !has_credit && !cells_in_.pending() && !credits_in_.pending() &&
		!(keepalive && now - last_said_ >= keepalive)) {
		return false;
	}
	if (has_cell) {
		const VcCell &item = cells_out_.take(sequence, now);

		put(frame, f.cell_valid_lsb, 1, 1);
		put(frame, f.cell_seq_lsb, f.cell_seq_bits, sequence);
		put(frame, f.vc_lsb, f.vc_bits, item.vc);
		put(frame, f.poison_lsb, f.poison_bits, item.poisoned);
		put_cell(frame, item.cell);
	}
	if (has_credit) {
		unsigned vc = credits_out_.take(sequence, now);

		put(frame, f.credit_valid_lsb, 1, 1);
		put(frame, f.credit_seq_lsb, f.credit_seq_bits, sequence);
		put(frame, f.credit_vc_lsb, f.credit_vc_bits, vc);
	}
	put(frame, f.cell_ack_lsb, f.cell_ack_bits, cells_in_.expected());
	put(frame, f.cell_nack_lsb, 1, cells_in_.take_nack());
	put(frame, f.credit_ack_lsb, f.credit_ack_bits, credits_in_.expected());
	put(frame, f.credit_nack_lsb, 1, credits_in_.take_nack());
	return true;
}

void LinkPort::transmit(Card &card, uint64_t now)
{
	const xt_frame_layout_t &f = shape().frame;
	Frame frame{};

	if (plain_valid_) {
		card.drive_frame(port_, plain_);
		plain_ = Frame{};
		plain_valid_ = false;
	}
	if (!f.layer) {
		return;
	}
	if (dead || !make_frame(frame, now)) {
		return;
	}
	last_said_ = now;
	put(frame, f.check_lsb, f.check_bits, frame_check(frame, f.check_lsb));
	bool normal = get(frame, f.ctrl_lsb, f.ctrl_bits) == ctrl_normal;
	bool carries = get(frame, f.cell_valid_lsb, 1) || get(frame, f.credit_valid_lsb, 1);

	if (normal && carries && strikes(lose_sent)) {
		return;
	}
	bool spoil = normal && carries && strikes(spoil_sent);

	if (normal && random_.chance(error_rate)) {
		errors++;
		if (random_.below(2)) {
			return;
		}
		spoil = true;
	}
	if (spoil) {
		unsigned bit = random_.below(f.bits);

		frame[bit / 32] ^= 1u << bit % 32;
	}
	card.drive_frame(port_, frame);
}
