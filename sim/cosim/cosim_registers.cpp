// SPDX-License-Identifier: Apache-2.0
//
// Registers and tables of the cards.
#include "cosim_network.hpp"
#include "table_memories.hpp"

namespace
{

constexpr unsigned AxiTimeout = 1000; // cycles for one transfer

} // namespace

int Network::beginAccess(const CosimRanks::Command &command, const uint32_t *given, xt_diag_t *diag)
{
	const bool own = isOwn(command.card);
	int status = !own || together_ ? ranks_->order(command, given, together_, diag) : XT_OK;

	return status == XT_OK && together_ && !own ? keepPace(command.card, diag) : status;
}

int Network::endAccess(int status, xt_diag_t *diag)
{
	if (together_ && status_ == XT_OK) {
		status_ = ranks_->pace(untold_, false, &diag_);
		untold_ = 0;
	}
	if (together_ && status_ != XT_OK) {
		*diag = diag_;
		return status_;
	}
	return status;
}

int Network::keepPace(unsigned card, xt_diag_t *diag)
{
	bool on = true;

	while (status_ == XT_OK && on) {
		uint32_t cycles = 0;

		status_ = ranks_->takePace(card, cycles, on, &diag_);
		for (; status_ == XT_OK && cycles; cycles--) {
			idleStep();
		}
	}
	if (status_ != XT_OK) {
		*diag = diag_;
	}
	return status_;
}

int Network::read(unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	const CosimRanks::Command command = {CosimRanks::Read, 0, 0, card, address, static_cast<uint32_t>(count), 0};
	int status = beginAccess(command, nullptr, diag);

	if (status != XT_OK) {
		return status;
	}
	return isOwn(card) ? endAccess(readOwn(card, address, values, count, diag), diag)
			   : ranks_->takeAnswer(command, values, diag);
}

int Network::write(unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	const CosimRanks::Command command = {CosimRanks::Write, 0, 0, card, address, static_cast<uint32_t>(count), 0};
	int status = beginAccess(command, values, diag);

	if (status != XT_OK) {
		return status;
	}
	return isOwn(card) ? endAccess(writeOwn(card, address, values, count, diag), diag)
			   : ranks_->takeAnswer(command, nullptr, diag);
}

int Network::refuse(unsigned c, xt_diag_t *diag) const
{
	return cosim_.has(c) ? XT_OK : xt_fail(diag, XT_ERR_RANGE, "card %u is another rank's", c);
}

int Network::readOwn(unsigned c, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	int status = refuse(c, diag);

	if (status != XT_OK) {
		return status;
	}
	Vxt_card &model = *cosim_.cards[c].model;
	size_t asked = 0, answered = 0;
	unsigned waited = 0;

	cosim_.addressed = c;
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
		idle();
	}
	model.axil_arvalid_i = 0;
	cosim_.addressed = Cosim::NoCard;
	return status;
}

int Network::writeOwn(unsigned c, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	int status = refuse(c, diag);

	if (status != XT_OK) {
		return status;
	}
	Vxt_card &model = *cosim_.cards[c].model;
	size_t addresses = 0, data = 0, answered = 0;
	unsigned waited = 0;

	// A card whose links have a timer must not be held still, not even when nothing moves.
	if (EXTORUS_FRAME_LAYER && address == EXTORUS_REG_LINK_KEEPALIVE && count) {
		keepalives_ = keepalives_ - cosim_.cards[c].keepalive + (values[0] != 0);
		cosim_.cards[c].keepalive = values[0] != 0;
	}
	if (address == EXTORUS_REG_CARD_ID && count) {
		cosim_.wave.setAddress(c, values[0]);
	}
	cosim_.addressed = c;
	model.axil_bready_i = 1;
	model.axil_wstrb_i = 0xf;
	while (answered < count && status == XT_OK) {
		model.axil_awvalid_i = addresses < count;
		model.axil_awaddr_i = static_cast<uint16_t>(address + 4 * addresses);
		model.axil_wvalid_i = data < count;
		model.axil_wdata_i = data < count ? values[data] : 0;
		if (EXTORUS_FRAME_LAYER && address + 4 * data == EXTORUS_REG_LINK_DISABLE) {
			model.axil_wdata_i |= cosim_.portsBeyond(c);
		}
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
		idle();
	}
	model.axil_awvalid_i = 0;
	model.axil_wvalid_i = 0;
	cosim_.addressed = Cosim::NoCard;
	return status;
}

int Network::setTables(unsigned c, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag)
{
	const int status = refuse(c, diag);

	if (status != XT_OK) {
		return status;
	}
	storeTables(*cosim_.cards[c].model->rootp, grt, lrt);
	return XT_OK;
}

// Ranks step their own cards only once a run is over, and then no card may wait for signs of life of another rank's. So
// all own cards are told at once.
int Network::restLinks(xt_diag_t *diag)
{
	const uint32_t first = ranks_->first(), end = ranks_->end();
	std::vector<bool> addressed(end), written(end), answered(end);
	uint32_t left = keepalives_ && EXTORUS_FRAME_LAYER ? end - first : 0;

	for (unsigned waited = 0; left && waited < AxiTimeout; waited++) {
		for (uint32_t c = first; c < end; c++) {
			Vxt_card &model = *cosim_.cards[c].model;

			model.axil_bready_i = 1;
			model.axil_wstrb_i = 0xf;
			model.axil_awvalid_i = !addressed[c];
			model.axil_awaddr_i = static_cast<uint16_t>(EXTORUS_REG_LINK_KEEPALIVE);
			model.axil_wvalid_i = !written[c];
			model.axil_wdata_i = 0;
			addressed[c] = addressed[c] || (model.axil_awvalid_i && model.axil_awready_o);
			written[c] = written[c] || (model.axil_wvalid_i && model.axil_wready_o);
			if (model.axil_bvalid_o && !answered[c]) {
				answered[c] = true;
				left--;
			}
			parts_[partOf_[c]]->wake(c);
		}
		idle();
	}
	keepalives_ = 0;
	for (Cosim::Card &card : cosim_.cards) {
		card.keepalive = false;
	}
	return left ? xt_fail(diag, XT_ERR_TIMEOUT, "register 0x%04x of %u cards does not answer",
			      static_cast<unsigned>(EXTORUS_REG_LINK_KEEPALIVE), left)
		    : XT_OK;
}
