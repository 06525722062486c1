// SPDX-License-Identifier: Apache-2.0
#include "cosim_network.hpp"

#include <algorithm>
#include <cinttypes>

namespace
{

constexpr unsigned ResetCycles = 4;
constexpr unsigned AxiTimeout = 1000; // cycles for one transfer
constexpr unsigned QuietLimit = 1000; // cycles until the cards have fallen idle after register accesses

} // namespace

Cosim::Cosim(const xt_network_t &network)
    : cards(network.cards), latency(network.link_latency), evaluateAll(network.evaluate_all != 0),
      slots(network.link_latency + 2), arrivals(slots * network.cards),
      portCells(static_cast<size_t>(network.cards) * Ports)
{
	context.threads(1);
	context.traceEverOn(Wave::Available && network.wave_path);
	for (unsigned c = 0; c < network.cards; c++) {
		std::string name = "card" + std::to_string(c);

		if (!network.present || network.present[c]) {
			cards[c].model = std::make_unique<Vxt_card>(&context, name.c_str());
		}
		std::copy_n(network.peers + static_cast<size_t>(c) * Links, Links, cards[c].peer);
	}
}

Network::Network(const xt_network_t &network) : cosim_(network), partOf_(network.cards)
{
	parts_.push_back(std::make_unique<Part>(cosim_, 0, network.cards));
}

int Network::openWave(const xt_network_t &network, xt_diag_t *diag)
{
	std::vector<Vxt_card *> models;

	for (const Cosim::Card &card : cosim_.cards) {
		models.push_back(card.model.get());
	}
	return cosim_.wave.open(network, models, diag);
}

int Network::reset(xt_diag_t *diag)
{
	// Twice what the tables and the buffers need, one entry per cycle.
	const uint64_t limit = 2 * ((uint64_t{1} << EXTORUS_LRT_BITS) + EXTORUS_BUFFER_CELLS) + 1000;

	const auto setReset = [this](bool released) {
		for (unsigned c = 0; c < cosim_.cards.size(); c++) {
			if (cosim_.has(c)) {
				cosim_.cards[c].model->rst_ni = released;
				parts_[0]->wake(c);
			}
		}
	};

	for (unsigned cycle = 0; cycle < ResetCycles; cycle++) {
		setReset(false);
		idle();
	}
	setReset(true);
	const uint64_t end = cosim_.now + limit;

	for (unsigned c = 0; c < cosim_.cards.size(); c++) {
		[[maybe_unused]] const uint32_t beyond = cosim_.portsBeyond(c);
		uint32_t cardStatus = 0;
		int status = XT_OK;

		if (!cosim_.has(c)) {
			continue;
		}
		while (status == XT_OK && !(cardStatus & EXTORUS_STATUS_READY_MASK)) {
			status = read(c, EXTORUS_REG_STATUS, &cardStatus, 1, diag);
			if (cosim_.now > end + c * AxiTimeout) {
				return xt_fail(diag, XT_ERR_NODEVICE,
					"card %u is not ready %" PRIu64 " cycles after reset", c, limit);
			}
		}
#if EXTORUS_FRAME_LAYER
		if (status == XT_OK && beyond) {
			status = write(c, EXTORUS_REG_LINK_DISABLE, &beyond, 1, diag);
		}
#endif
		if (status != XT_OK) {
			return status;
		}
	}
	return XT_OK;
}

bool Network::quiet() const
{
	int64_t inTransit = 0;
	bool busy = false;

	for (const auto &part : parts_) {
		inTransit += part->inTransit;
		busy = busy || part->isBusy();
	}
	return inTransit == 0 && !busy;
}

// What has left one part reaches the others. Where ranks go each by itself after a run, nothing but signs of life
// leaves for another rank.
void Network::deliver()
{
	for (const auto &part : parts_) {
		for (const Part::Crossing &crossing : part->leaving) {
			const uint32_t to = partOf_[crossing.card];

			if (to < parts_.size()) {
				parts_[to]->arrive(crossing);
			} else if (client_ || together_) {
				ranks_->leave(crossing);
			} else {
				part->inTransit--;
			}
		}
		part->leaving.clear();
	}
}

void Network::idle()
{
	// The others hear of the cycles before an exchange, and at the end of the access.
	untold_ += together_;
	if (together_ && status_ == XT_OK && sinceTrade_ == cosim_.latency) {
		status_ = ranks_->pace(untold_, true, &diag_);
		untold_ = 0;
	}
	idleStep();
}

void Network::idleStep()
{
	for (const auto &part : parts_) {
		part->step(nullptr);
	}
	deliver();
	if (together_ && status_ == XT_OK && ++sinceTrade_ > cosim_.latency) {
		status_ = trade({}, 1, &diag_);
		sinceTrade_ = 0;
	}
	cosim_.now++;
}

int Network::settle(xt_diag_t *diag)
{
	bool settled = false, sending = false;

	for (unsigned wait = 0; wait < QuietLimit && !cosim_.stands && !settled; wait++) {
		settled = quiet();
		if (!settled) {
			idle();
		}
	}
	for (const auto &part : parts_) {
		sending = sending || part->isSending();
	}
	// Keepalives keep a card busy that holds nothing.
	if (!settled && keepalives_ && !sending) {
		settled = true;
		for (unsigned c = 0; c < cosim_.cards.size() && settled; c++) {
			uint32_t cardStatus;

			if (!cosim_.has(c)) {
				continue;
			}
			int status = read(c, EXTORUS_REG_STATUS, &cardStatus, 1, diag);

			if (status != XT_OK) {
				return status;
			}
			settled = cardStatus & EXTORUS_STATUS_IDLE_MASK;
		}
	}
	return settled ? XT_OK
		       : xt_fail(diag, XT_ERR_UNSUPPORTED,
				 "the network still holds packets of the run before; close the device and open it "
				 "again");
}

void Network::addFault(const xt_fault_t &fault)
{
	cosim_.faults.push_back({fault, 0, false});
}

unsigned Network::faultsWaiting() const
{
	return static_cast<unsigned>(std::count_if(
		cosim_.faults.begin(), cosim_.faults.end(), [](const Cosim::Fault &f) { return !f.done; }));
}

// Those that begin at a cycle.
void Network::startFaults()
{
	for (Cosim::Fault &f : cosim_.faults) {
		if (f.done || cosim_.cycle < f.what.n) {
			continue;
		}
		if (f.what.kind == XT_FAULT_BLOCK_NIC) {
			cosim_.cards[f.what.card].blockedNics |= 1u << (f.what.port - Cosim::Links);
			f.done = true;
		} else if (f.what.kind == XT_FAULT_KILL_LINK) {
			const xt_peer_t peer = cosim_.cards[f.what.card].peer[f.what.port];

			cosim_.cards[f.what.card].out[f.what.port].dead = true;
			cosim_.cards[peer.card].out[peer.port].dead = true;
			f.done = true;
		}
	}
}

// Errors of their own for every directed link, and links that were killed in the run before are whole.
void Network::prepareLinks(const xt_client_t &client)
{
	for (unsigned c = 0; c < cosim_.cards.size(); c++) {
		for (unsigned port = 0; port < Cosim::Links; port++) {
			cosim_.cards[c].out[port].dead = false;
			cosim_.cards[c].out[port].downSince = UINT64_MAX;
			cosim_.cards[c].out[port].errors.seed(client.error_seed, c * Cosim::Links + port);
		}
	}
}

// Up to which cycle no fault begins.
uint64_t Network::beforeFaults(uint64_t until) const
{
	for (const Cosim::Fault &f : cosim_.faults) {
		if (!f.done && f.what.n >= cosim_.cycle &&
			(f.what.kind == XT_FAULT_BLOCK_NIC || f.what.kind == XT_FAULT_KILL_LINK)) {
			until = std::min(until, f.what.n);
		}
	}
	return until;
}
