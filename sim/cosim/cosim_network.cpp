// SPDX-License-Identifier: Apache-2.0
#include "cosim_network.hpp"

#include <algorithm>
#include <cinttypes>

#include "pins.hpp"
#include "table_memories.hpp"

namespace
{

constexpr unsigned ResetCycles = 4;
constexpr unsigned AxiTimeout = 1000; // cycles for one transfer
constexpr unsigned QuietLimit = 1000; // cycles until the cards have fallen idle after register accesses
// Without a cell on any pin for so long, and none on a link, nothing will move again by itself.
constexpr unsigned StandingCycles = 200;

} // namespace

Network::Network(const xt_network_t &network)
    : cards_(network.cards), latency_(network.link_latency), evaluateAll_(network.evaluate_all != 0),
      slots_(network.link_latency + 2), arrivals_(slots_ * network.cards), arriving_(slots_, CardSet(network.cards)),
      busy_(network.cards), sending_(network.cards), work_(network.cards),
      portCells_(static_cast<size_t>(network.cards) * Ports)
{
	context_.threads(1);
	context_.traceEverOn(Wave::Available && network.wave_path);
	for (unsigned c = 0; c < network.cards; c++) {
		Card &card = cards_[c];
		std::string name = "card" + std::to_string(c);

		card.model = std::make_unique<Vxt_card>(&context_, name.c_str());
		std::copy_n(network.peers + static_cast<size_t>(c) * Links, Links, card.peer);
	}
}

int Network::openWave(const xt_network_t &network, xt_diag_t *diag)
{
	std::vector<Vxt_card *> models;

	for (const Card &card : cards_) {
		models.push_back(card.model.get());
	}
	return wave_.open(network, models, diag);
}

int Network::reset(xt_diag_t *diag)
{
	// Twice what the tables and the buffers need, one entry per cycle.
	const uint64_t limit = 2 * ((uint64_t{1} << EXTORUS_LRT_BITS) + EXTORUS_BUFFER_CELLS) + 1000;

	for (unsigned cycle = 0; cycle < ResetCycles; cycle++) {
		for (unsigned c = 0; c < cards_.size(); c++) {
			cards_[c].model->rst_ni = 0;
			busy_.insert(c);
		}
		step(nullptr);
	}
	for (unsigned c = 0; c < cards_.size(); c++) {
		cards_[c].model->rst_ni = 1;
		busy_.insert(c);
	}
	const uint64_t end = now_ + limit;

	for (unsigned c = 0; c < cards_.size(); c++) {
		uint32_t cardStatus = 0;

		while (!(cardStatus & EXTORUS_STATUS_READY_MASK)) {
			int status = read(c, EXTORUS_REG_STATUS, &cardStatus, 1, diag);

			if (status != XT_OK) {
				return status;
			}
			if (now_ > end + c * AxiTimeout) {
				return xt_fail(diag, XT_ERR_NODEVICE,
					"card %u is not ready %" PRIu64 " cycles after reset", c, limit);
			}
		}
	}
	return XT_OK;
}

// ---------------------------------------------------------------- one cycle

void Network::step(const xt_client_t *client)
{
	if (client) {
		startPackets(*client);
	}
	if (stands_) {
		work_ = arriving(now_);
	} else {
		work_.assignUnion(busy_, arriving(now_), sending_);
	}
	if (addressed_ != NoCard) {
		work_.insert(addressed_);
	}
	if (evaluateAll_ && client) {
		for (unsigned c = 0; c < cards_.size(); c++) {
			work_.insert(c);
		}
	}
#if VM_TRACE
	// Edge by edge, so that the file shows the clock.
	const bool dump = client && wave_.wants(cycle_);

	if (dump) {
		for (unsigned c : wave_.cards()) {
			work_.insert(c);
		}
	}
	work_.forEach([&](unsigned c) {
		drive(c, client);
		cards_[c].model->clk_i = 1;
		cards_[c].model->eval();
	});
	if (dump) {
		wave_.dump(cycle_, true);
	}
	work_.forEach([&](unsigned c) {
		cards_[c].model->clk_i = 0;
		cards_[c].model->eval();
		collect(c, client);
	});
	if (dump) {
		wave_.dump(cycle_, false);
	}
#else
	work_.forEach([&](unsigned c) {
		drive(c, client);
		clock(c);
		collect(c, client);
	});
#endif
	arriving(now_).clear();
	now_++;
}

// Every PE whose NIC is free and that has a packet begins to send it.
void Network::startPackets(const xt_client_t &client)
{
	const unsigned perCard = client.pes / static_cast<unsigned>(cards_.size());

	for (unsigned pe = 0; pe < client.pes; pe++) {
		if (client.ready_at[pe] > cycle_) {
			continue;
		}
		Sending &sending = cards_[pe / perCard].sending[pe % perCard];

		if (!sending.cells) {
			sending.cells = client.fetch(client.context, pe, cycle_, &sending.count);
			sending.next = 0;
			if (sending.cells) {
				sending_.insert(pe / perCard);
			}
		}
	}
}

// Inputs of this cycle. The handshakes at the NICs are read off before the edge, as the card does.
void Network::drive(unsigned c, const xt_client_t *client)
{
	Card &card = cards_[c];
	Vxt_card &model = *card.model;

	model.link_valid_i = 0;
	if (arriving(now_).contains(c)) {
		Arrivals &in = arrivals(now_, c);

		model.link_valid_i = static_cast<decltype(model.link_valid_i + 0)>(in.frames);
		for (uint32_t rest = in.frames; rest; rest &= rest - 1) {
			unsigned port = static_cast<unsigned>(__builtin_ctz(rest));

			putField<Frame::Bits>(model.link_frame_i, port, in.frame[port].word);
		}
		inTransit_ -= static_cast<unsigned>(__builtin_popcount(in.frames));
		in.frames = 0;
	}
	driveNics(c, client);
}

void Network::driveNics(unsigned c, const xt_client_t *client)
{
	Card &card = cards_[c];
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
		portCells_[static_cast<size_t>(c) * Ports + Links + n]++;
		moves_++;
		client->received(client->context, c * Nics + n, cycle_, cell, 1, model.nic_tlast_o >> n & 1,
			model.nic_tuser_o >> n & 1);
	}
	for (unsigned n = 0; n < Nics; n++) {
		Sending &sending = card.sending[n];

		if (!sending.cells || !client) {
			more = more || sending.cells;
			continue;
		}
		valid |= 1u << n;
		last |= (sending.next + 1 == sending.count ? 1u : 0u) << n;
		putField<CellBits>(model.nic_tdata_i, n, sending.cells + static_cast<size_t>(sending.next) * CellWords);
		if (model.nic_tready_o >> n & 1) {
			moves_++;
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

void Network::clock(unsigned c)
{
	Vxt_card &model = *cards_[c].model;

	model.clk_i = 1;
	model.eval();
	model.clk_i = 0;
	model.eval();
}

// Outputs after the edge, which are those of the next cycle.
void Network::collect(unsigned c, const xt_client_t *client)
{
	Vxt_card &model = *cards_[c].model;

	evaluated_++;
	for (uint32_t rest = model.link_valid_o; rest; rest &= rest - 1) {
		sendFrame(c, static_cast<unsigned>(__builtin_ctz(rest)), client);
	}
	if (model.idle_o && !model.link_valid_o) {
		busy_.erase(c);
	} else {
		busy_.insert(c);
	}
}

int Network::settle(xt_diag_t *diag)
{
	bool settled = false;

	for (unsigned wait = 0; wait < QuietLimit && !stands_ && !settled; wait++) {
		settled = quiet();
		if (!settled) {
			step(nullptr);
		}
	}
	// Keepalives keep a card busy that holds nothing.
	if (!settled && keepalives_ && sending_.empty()) {
		settled = true;
		for (unsigned c = 0; c < cards_.size() && settled; c++) {
			uint32_t cardStatus;
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

int Network::run(const xt_client_t &client, xt_diag_t *diag)
{
	if (client.pes != cards_.size() * Nics) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%u PEs do not fit %zu cards with %u NIC ports each",
			client.pes, cards_.size(), Nics);
	}
	if (client.goes_on) {
		stands_ = false;
	} else {
		int status = settle(diag);

		if (status != XT_OK) {
			return status;
		}
	}
	prepareLinks(client);
	std::fill(portCells_.begin(), portCells_.end(), 0);
	moves_ = 0;
	evaluated_ = 0;

	uint64_t moves = 0, lastMove = 0;

	for (cycle_ = 0;; cycle_++) {
		const xt_engine_state_t state = {cycle_, moves_, quiet(), portCells_.data(), nullptr, nullptr};

		if (moves != moves_) {
			moves = moves_;
			lastMove = cycle_;
		}
		if (client.cycle(client.context, &state)) {
			stands_ = !client.goes_on && !state.quiet && !keepalives_ && inTransit_ == 0 &&
				  cycle_ - lastMove > StandingCycles;
			break;
		}
		if (!faults_.empty()) {
			startFaults();
		}
		step(&client);
	}
	return XT_OK;
}

int Network::read(unsigned c, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	Vxt_card &model = *cards_[c].model;
	size_t asked = 0, answered = 0;
	unsigned waited = 0;
	int status = XT_OK;

	addressed_ = c;
	model.axil_rready_i = 1;
	while (answered < count && status == XT_OK) {
		model.axil_arvalid_i = asked < count;
		model.axil_araddr_i = static_cast<uint16_t>(address + 4 * asked);
		asked += model.axil_arvalid_i && model.axil_arready_o;
		if (model.axil_rvalid_o) {
			if (model.axil_rresp_o) {
				status = xt_fail(diag, XT_ERR_PROTOCOL, "card %u: reading register 0x%04zx is refused",
					c, address + 4 * answered);
			}
			values[answered++] = model.axil_rdata_o;
			waited = 0;
		} else if (++waited > AxiTimeout) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "card %u: register 0x%04zx does not answer", c,
				address + 4 * answered);
		}
		step(nullptr);
	}
	model.axil_arvalid_i = 0;
	addressed_ = NoCard;
	return status;
}

int Network::write(unsigned c, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	Vxt_card &model = *cards_[c].model;
	size_t addresses = 0, data = 0, answered = 0;
	unsigned waited = 0;
	int status = XT_OK;

	// A card whose links have a timer must not be held still, not even when nothing moves.
	if (EXTORUS_FRAME_LAYER && address == EXTORUS_REG_LINK_KEEPALIVE && count) {
		keepalives_ = keepalives_ - cards_[c].keepalive + (values[0] != 0);
		cards_[c].keepalive = values[0] != 0;
	}
	if (address == EXTORUS_REG_CARD_ID && count) {
		wave_.setAddress(c, values[0]);
	}
	addressed_ = c;
	model.axil_bready_i = 1;
	model.axil_wstrb_i = 0xf;
	while (answered < count && status == XT_OK) {
		model.axil_awvalid_i = addresses < count;
		model.axil_awaddr_i = static_cast<uint16_t>(address + 4 * addresses);
		model.axil_wvalid_i = data < count;
		model.axil_wdata_i = data < count ? values[data] : 0;
		addresses += model.axil_awvalid_i && model.axil_awready_o;
		data += model.axil_wvalid_i && model.axil_wready_o;
		if (model.axil_bvalid_o) {
			if (model.axil_bresp_o) {
				status = xt_fail(diag, XT_ERR_PROTOCOL, "card %u: writing register 0x%04zx is refused",
					c, address + 4 * answered);
			}
			answered++;
			waited = 0;
		} else if (++waited > AxiTimeout) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "card %u: register 0x%04zx does not answer", c,
				address + 4 * answered);
		}
		step(nullptr);
	}
	model.axil_awvalid_i = 0;
	model.axil_wvalid_i = 0;
	addressed_ = NoCard;
	return status;
}

void Network::setTables(unsigned c, const uint64_t *grt, const uint64_t *lrt)
{
	storeTables(*cards_[c].model->rootp, grt, lrt);
}
