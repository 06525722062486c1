// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#include <algorithm>

#include "failure.hpp"

bool CreditAccount::give(unsigned vc)
{
	if (!used_[vc]) {
		return false;
	}
	used_[vc]--;
	return true;
}

unsigned CreditAccount::total() const
{
	unsigned sum = 0;

	for (unsigned vc = 0; vc < shape().vcs; vc++) {
		sum += used_[vc];
	}
	return sum;
}

int CreditAccount::room(unsigned vc) const
{
	const Shape &s = shape();
	int pool = static_cast<int>(s.pool);

	for (unsigned v = 0; v < s.vcs; v++) {
		if (used_[v] > s.reserved) {
			pool -= static_cast<int>(used_[v] - s.reserved);
		}
	}
	return pool + (used_[vc] < s.reserved ? static_cast<int>(s.reserved - used_[vc]) : 0);
}

Source::Source(unsigned port, Scoreboard &board, uint64_t seed) : port_(port), board_(board), random_(seed)
{
}

void Source::push(const Packet &packet)
{
	if (packet.in_port != port_) {
		fail("bench: packet of input %u given to input %u", packet.in_port, port_);
	}
	queue_[packet.in_vc].push_back(packet);
}

size_t Source::queued() const
{
	size_t sum = 0;

	for (const auto &queue : queue_) {
		sum += queue.size();
	}
	return sum;
}

void Source::drop_queues()
{
	for (auto &queue : queue_) {
		queue.clear();
	}
}

void Source::abandon()
{
	if (sending_) {
		counts_.cells[current_.tc()] += current_.cells - index_;
	}
	sending_ = false;
}

void Source::refill()
{
	if (!generator) {
		return;
	}
	for (unsigned vc = 0; vc < shape().vcs; vc++) {
		if ((generated_vcs >> vc & 1) && queue_[vc].empty()) {
			push(generator(vc));
		}
	}
}

void Source::begin(unsigned vc, uint64_t now)
{
	current_ = queue_[vc].front();
	queue_[vc].pop_front();
	current_.sent = now;
	sending_ = true;
	index_ = 0;
	board_.enter(current_);
	if (!current_.missing_tc) {
		counts_.packets[current_.tc()]++;
		counts_.illegal += current_.illegal;
	}
	counts_.misframed += !current_.framed();
}

void LinkSource::restart()
{
	abandon();
	account_ = CreditAccount();
	wire_ = {};
	returning_.clear();
}

void LinkSource::cycle(LinkPort &link, uint64_t now)
{
	const Shape &s = shape();

	if (link.credit_valid) {
		unsigned vc = link.credit_vc;

		if (vc >= s.vcs || !wire_[vc]) {
			fail("cycle %llu: input %u: credit for VC %u, which owes none", as_ull(now), port_, vc);
		}
		wire_[vc]--;
		returning_.emplace_back(now + credit_delay, vc);
		last_progress = now;
	}
	while (!returning_.empty() && returning_.front().first <= now) {
		account_.give(returning_.front().second);
		returning_.pop_front();
	}
	if (!sending_ && link.ready(now) && !random_.chance(gap_between)) {
		refill();
		unsigned candidates = 0, chosen = 0;

		for (unsigned vc = 0; vc < s.vcs; vc++) {
			if (!queue_[vc].empty() && account_.room(vc) >= static_cast<int>(queue_[vc].front().cells) &&
				account_.used(vc) + queue_[vc].front().cells <= most_per_vc &&
				random_.below(++candidates) == 0) {
				chosen = vc;
			}
		}
		if (candidates) {
			begin(chosen, now);
			account_.take(chosen, current_.cells);
		}
	}
	if (sending_ && current_.cut && index_ == current_.whole) {
		return;
	}
	if (sending_ && (index_ == 0 || !random_.chance(gap_within))) {
		link.send_cell(current_.in_vc, current_.expected(index_), current_.poisoned(index_));
		wire_[current_.in_vc]++;
		counts_.cells[current_.tc()]++;
		window_cells++;
		last_progress = now;
		sending_ = ++index_ < current_.cells;
	}
}

void NicSource::cycle(Card &card, uint64_t now)
{
	const Shape &s = shape();
	unsigned nic = port_ - s.links;

	if (!sending_ && !random_.chance(gap_between)) {
		refill();
		unsigned candidates = 0, chosen = 0;

		for (unsigned vc = 0; vc < s.vcs; vc++) {
			if (!queue_[vc].empty() && random_.below(++candidates) == 0) {
				chosen = vc;
			}
		}
		if (candidates) {
			begin(chosen, now);
		}
	}
	if (sending_ && (offered_ || index_ == 0 || !random_.chance(gap_within))) {
		unsigned beats = current_.beats ? current_.beats : current_.cells;

		card.drive_nic(nic, current_.cell(index_), index_ + 1 == beats);
		offered_ = !card.nic_ready(nic);
		if (!offered_) {
			window_cells++;
			last_progress = now;
			sending_ = ++index_ < beats;
			if (!sending_ && !current_.missing_tc) {
				counts_.cells[current_.tc()] += current_.cells;
			}
		}
	}
}

Sink::Sink(unsigned port, Scoreboard &board, uint64_t seed) : port_(port), board_(board), random_(seed)
{
}

void Sink::count_swallowed(const std::deque<Packet> &packets)
{
	for (const Packet &packet : packets) {
		counts_.packets[packet.tc()]++;
		counts_.cells[packet.tc()] += packet.cells;
	}
}

void Sink::take(const Cell &cell, unsigned vc, bool poisoned, uint64_t now)
{
	if (!receiving_) {
		current_ = board_.leave(cell, port_, vc, now);
		receiving_ = true;
		index_ = 0;
		uint64_t latency = now - current_.sent;

		window.latency_sum += latency;
		window.latency_min = std::min(window.latency_min, latency);
		window.latency_max = std::max(window.latency_max, latency);
		window.packets++;
		counts_.packets[current_.tc()]++;
	} else {
		Cell expected = current_.expected(index_);

		if (cell != expected) {
			fail("cycle %llu: output %u VC %u: cell %u of packet %llu (%u cells, from input %u VC %u) is "
			     "%s, "
			     "expected %s",
				as_ull(now), port_, vc, index_, as_ull(current_.id), current_.cells, current_.in_port,
				current_.in_vc, cell_text(cell).c_str(), cell_text(expected).c_str());
		}
	}
	if (poisoned != current_.poisoned(index_)) {
		fail("cycle %llu: output %u VC %u: cell %u of packet %llu (%u cells, %u of them whole, from input %u) "
		     "is %smarked as of an incomplete packet",
			as_ull(now), port_, vc, index_, as_ull(current_.id), current_.cells, current_.whole,
			current_.in_port, poisoned ? "" : "not ");
	}
	receiving_ = ++index_ < current_.cells;
	window.poisoned += !receiving_ && poisoned;
	window.last_duration = now - current_.sent;
	last_progress = now;
	counts_.cells[current_.tc()]++;
	window.cells++;
	window.from_port[current_.in_port]++;
	window.from[current_.in_port][current_.in_vc]++;
	window.out_vc[vc]++;
}

void LinkSink::restart()
{
	if (receiving_) {
		counts_.cells[current_.tc()] += current_.cells - index_;
	}
	receiving_ = false;
	account_ = CreditAccount();
	for (auto &due : due_) {
		due.clear();
	}
}

void LinkSink::cycle(LinkPort &link, uint64_t now)
{
	const Shape &s = shape();

	if (link.cell_valid) {
		unsigned vc = link.cell_vc;

		if (vc >= s.vcs) {
			fail("cycle %llu: output %u: VC %u does not exist", as_ull(now), port_, vc);
		}
		if (receiving_ && vc != current_.out_vc) {
			fail("cycle %llu: output %u: VC %u inside a packet of VC %u (cell %u of %u)", as_ull(now),
				port_, vc, current_.out_vc, index_, current_.cells);
		}
		int room = account_.room(vc);
		bool head = !receiving_;

		take(link.cell, vc, link.poison, now);
		if (head && room < static_cast<int>(current_.cells)) {
			fail("cycle %llu: output %u VC %u: started a packet of %u cells with credit for %d",
				as_ull(now), port_, vc, current_.cells, room);
		}
		if (head && least_room && room < least_room(current_)) {
			fail("cycle %llu: output %u VC %u: a packet of %u cells started with credit for %d, that one "
			     "needs %d",
				as_ull(now), port_, vc, current_.cells, room, least_room(current_));
		}
		if (room < 1) {
			fail("cycle %llu: output %u VC %u: cell without credit", as_ull(now), port_, vc);
		}
		account_.take(vc, 1);
		uint64_t due = now + return_delay + (return_delay_extra ? random_.below(return_delay_extra + 1) : 0);

		due_[vc].push_back(due_[vc].empty() ? due : std::max(due, due_[vc].back()));
	} else if (receiving_ && gapless) {
		fail("cycle %llu: output %u VC %u: pause before cell %u of a packet of %u cells", as_ull(now), port_,
			current_.out_vc, index_, current_.cells);
	}
	if (random_.chance(return_gap)) {
		return;
	}
	for (unsigned i = 0; i < s.vcs; i++) {
		unsigned vc = (next_vc_ + i) % s.vcs;

		if (!due_[vc].empty() && due_[vc].front() <= now && !(withheld >> vc & 1)) {
			due_[vc].pop_front();
			next_vc_ = (vc + 1) % s.vcs;
			if (lose_credits) {
				lose_credits--;
				break;
			}
			account_.give(vc);
			link.send_credit(vc);
			last_progress = now;
			break;
		}
	}
}

void NicSink::cycle(Card &card, uint64_t now)
{
	unsigned nic = port_ - shape().links;
	bool ready = !random_.chance(stall);

	if (ready) {
		card.drive_nic_ready(nic);
	}
	if (!card.nic_valid(nic)) {
		if (waiting_) {
			fail("cycle %llu: NIC %u: tvalid fell before tready", as_ull(now), nic);
		}
		if (receiving_ && gapless) {
			fail("cycle %llu: NIC %u: pause before cell %u of a packet of %u cells", as_ull(now), nic,
				index_, current_.cells);
		}
		return;
	}
	Cell cell = card.nic_cell(nic);
	bool last = card.nic_last(nic);

	if (waiting_ && (cell != waiting_cell_ || last != waiting_last_)) {
		fail("cycle %llu: NIC %u: beat changed while tready was low", as_ull(now), nic);
	}
	waiting_ = !ready;
	waiting_cell_ = cell;
	waiting_last_ = last;
	if (!ready) {
		return;
	}
	// The mark comes with the last beat only.
	take(cell, 0, last ? card.nic_poisoned(nic) : current_.poisoned(index_) && receiving_, now);
	if (last != !receiving_) {
		fail("cycle %llu: NIC %u: tlast is %d at cell %u of %u", as_ull(now), nic, last, index_ - 1,
			current_.cells);
	}
}
