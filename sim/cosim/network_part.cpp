// SPDX-License-Identifier: Apache-2.0
#include "network_part.hpp"

#include "pins.hpp"

Part::Part(Cosim &cosim, unsigned first, unsigned end)
    : cosim_(cosim), first_(first), end_(end), arriving_(cosim.slots, CardSet(cosim.cards.size())),
      busy_(cosim.cards.size()), sending_(cosim.cards.size()), work_(cosim.cards.size())
{
}

void Part::step(const xt_client_t *client, unsigned ahead)
{
	now_ = cosim_.now + ahead;
	cycle_ = cosim_.cycle + ahead;
	if (client) {
		startPackets(*client);
	}
	choose(client);
	evaluate(client);
	arriving(now_).clear();
}

// The cards that are evaluated in this cycle.
void Part::choose(const xt_client_t *client)
{
	if (cosim_.stands) {
		work_ = arriving(now_);
	} else {
		work_.assignUnion(busy_, arriving(now_), sending_);
	}
	if (cosim_.addressed != Cosim::NoCard && has(cosim_.addressed)) {
		work_.insert(cosim_.addressed);
	}
	for (unsigned c = first_; c < end_ && cosim_.evaluateAll && client; c++) {
		work_.insert(c);
	}
}

void Part::evaluate(const xt_client_t *client)
{
#if VM_TRACE
	// Edge by edge, so that the file shows the clock.
	const bool dump = client && cosim_.wave.wants(cycle_);

	if (dump) {
		for (unsigned c : cosim_.wave.cards()) {
			work_.insert(c);
		}
	}
	work_.forEach([&](unsigned c) {
		drive(c, client);
		cosim_.cards[c].model->clk_i = 1;
		cosim_.cards[c].model->eval();
	});
	if (dump) {
		cosim_.wave.dump(cycle_, true);
	}
	work_.forEach([&](unsigned c) {
		cosim_.cards[c].model->clk_i = 0;
		cosim_.cards[c].model->eval();
		collect(c, client);
	});
	if (dump) {
		cosim_.wave.dump(cycle_, false);
	}
#else
	work_.forEach([&](unsigned c) {
		drive(c, client);
		clock(c);
		collect(c, client);
	});
#endif
}

void Part::arrive(const Crossing &crossing)
{
	Cosim::Arrivals &there = cosim_.arrivalsOf(crossing.when, crossing.card);

	there.frames |= 1u << crossing.port;
	there.frame[crossing.port] = crossing.frame;
	arriving(crossing.when).insert(crossing.card);
}

void Part::takeOver(const Part &other)
{
	for (unsigned c = first_; c < end_; c++) {
		if (!other.has(c)) {
			continue;
		}
		if (other.busy_.contains(c)) {
			busy_.insert(c);
		}
		if (other.sending_.contains(c)) {
			sending_.insert(c);
		}
		for (uint64_t slot = 0; slot < cosim_.slots; slot++) {
			if (other.arriving_[slot].contains(c)) {
				arriving_[slot].insert(c);
				inTransit += __builtin_popcount(cosim_.arrivalsOf(slot, c).frames);
			}
		}
	}
}

// Every PE whose NIC is free and that has a packet begins to send it.
void Part::startPackets(const xt_client_t &client)
{
	for (unsigned pe = first_ * Nics; pe < end_ * Nics; pe++) {
		if (client.ready_at[pe] > cycle_) {
			continue;
		}
		Cosim::Sending &sending = cosim_.cards[pe / Nics].sending[pe % Nics];

		if (!sending.cells) {
			sending.cells = client.fetch(client.context, pe, cycle_, &sending.count);
			sending.next = 0;
			if (sending.cells) {
				sending_.insert(pe / Nics);
			}
		}
	}
}

// Inputs of this cycle. The handshakes at the NICs are read off before the edge, as the card does.
void Part::drive(unsigned c, const xt_client_t *client)
{
	Cosim::Card &card = cosim_.cards[c];
	Vxt_card &model = *card.model;

	model.link_valid_i = 0;
	if (arriving(now_).contains(c)) {
		Cosim::Arrivals &in = cosim_.arrivalsOf(now_, c);

		model.link_valid_i = static_cast<decltype(model.link_valid_i + 0)>(in.frames);
		for (uint32_t rest = in.frames; rest; rest &= rest - 1) {
			unsigned port = static_cast<unsigned>(__builtin_ctz(rest));

			putField<Frame::Bits>(model.link_frame_i, port, in.frame[port].word);
		}
		inTransit -= static_cast<unsigned>(__builtin_popcount(in.frames));
		in.frames = 0;
	}
	driveNics(c, client);
}

void Part::driveNics(unsigned c, const xt_client_t *client)
{
	Cosim::Card &card = cosim_.cards[c];
	Vxt_card &model = *card.model;
	const bool stalled = !client || (client->nic_stall && cycle_ % client->nic_period < client->nic_stall);
	uint32_t ready = stalled ? 0 : ((1u << Nics) - 1) & ~card.blockedNics;
	uint32_t delivered, valid = 0, last = 0;
	bool more = false;

	for (unsigned n = 0; n < Nics && client && client->deaf; n++) {
		ready &= ~((client->deaf[c * Nics + n] ? 1u : 0u) << n);
	}
	delivered = model.nic_tvalid_o & ready;

	model.nic_tready_i = ready;
	for (uint32_t rest = delivered; rest; rest &= rest - 1) {
		unsigned n = static_cast<unsigned>(__builtin_ctz(rest));
		uint32_t cell[CellWords];

		getField<CellBits>(model.nic_tdata_o, n, cell);
		cosim_.portCells[static_cast<size_t>(c) * Ports + Links + n]++;
		moves++;
		client->received(client->context, c * Nics + n, cycle_, cell, 1, model.nic_tlast_o >> n & 1,
			model.nic_tuser_o >> n & 1);
	}
	for (unsigned n = 0; n < Nics; n++) {
		Cosim::Sending &sending = card.sending[n];

		if (!sending.cells || !client) {
			more = more || sending.cells;
			continue;
		}
		valid |= 1u << n;
		last |= (sending.next + 1 == sending.count ? 1u : 0u) << n;
		putField<CellBits>(model.nic_tdata_i, n, sending.cells + static_cast<size_t>(sending.next) * CellWords);
		if (model.nic_tready_o >> n & 1) {
			moves++;
			client->sent(client->context, c * Nics + n, cycle_, sending.next, 1);
			if (++sending.next == sending.count) {
				sending.cells = nullptr;
			}
		}
		more = more || sending.cells;
	}
	model.nic_tvalid_i = valid;
	model.nic_tlast_i = last;
	if (!more) {
		sending_.erase(c);
	}
}

void Part::clock(unsigned c)
{
	Vxt_card &model = *cosim_.cards[c].model;

	model.clk_i = 0;
	model.eval();
	model.clk_i = 1;
	model.eval();
}

// Outputs after the edge, which are those of the next cycle.
void Part::collect(unsigned c, const xt_client_t *client)
{
	Vxt_card &model = *cosim_.cards[c].model;

	evaluated++;
	for (uint32_t rest = model.link_valid_o; rest; rest &= rest - 1) {
		sendFrame(c, static_cast<unsigned>(__builtin_ctz(rest)), client);
	}
	if (model.idle_o && !model.link_valid_o) {
		busy_.erase(c);
	} else {
		busy_.insert(c);
	}
}
