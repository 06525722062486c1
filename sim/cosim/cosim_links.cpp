// SPDX-License-Identifier: Apache-2.0
//
// What goes over the links of the network, and what befalls it there.
#include "cosim_network.hpp"
#include "pins.hpp"

namespace
{

constexpr uint32_t CellSeqMask = (uint64_t{1} << EXTORUS_FRAME_CELL_SEQ_BITS) - 1;
constexpr uint32_t CreditSeqMask = (uint64_t{1} << EXTORUS_FRAME_CREDIT_SEQ_BITS) - 1;

// The length field of a header, in cells.
unsigned cellsOf(const uint32_t *head)
{
	uint64_t pair = head[EXTORUS_HEADER_LENGTH_LSB / 32];

	if ((EXTORUS_HEADER_LENGTH_LSB + EXTORUS_HEADER_LENGTH_BITS - 1) / 32 != EXTORUS_HEADER_LENGTH_LSB / 32) {
		pair |= static_cast<uint64_t>(head[EXTORUS_HEADER_LENGTH_LSB / 32 + 1]) << 32;
	}
	return static_cast<unsigned>(
		       pair >> EXTORUS_HEADER_LENGTH_LSB % 32 & ((1u << EXTORUS_HEADER_LENGTH_BITS) - 1)) +
	       1;
}

} // namespace

void Network::sendFrame(unsigned c, unsigned port, const xt_client_t *client)
{
	Card &card = cards_[c];
	Outgoing &out = card.out[port];
	const xt_peer_t peer = card.peer[port];
	const uint64_t when = now_ + 1 + latency_;
	Frame frame;

	getField<Frame::Bits>(card.model->link_frame_o, port, frame.word);
	if (frame.beginsAnew()) {
		out.nextCell = out.nextCredit = 0;
		out.toGo = 0;
		if (frame.isDown() && out.downSince == UINT64_MAX) {
			out.downSince = cycle_;
		}
	} else if (!frame.ctrl() && frame.hasCell() && frame.cellSequence() == out.nextCell) {
		out.nextCell = (out.nextCell + 1) & CellSeqMask;
		sendCell(c, port, frame, client);
		if (!faults_.empty()) {
			spoilCell(c, port, frame);
		}
	}
	if (peer.card == XT_NO_CARD || !passCredit(c, port, frame) || out.dead ||
		(client && client->error_rate > 0.0 && !spoil(out, client->error_rate, frame))) {
		return;
	}
	Arrivals &there = arrivals(when, peer.card);

	there.frames |= 1u << peer.port;
	there.frame[peer.port] = frame;
	arriving(when).insert(peer.card);
	inTransit_++;
}

// A cell that goes out for the first time.
void Network::sendCell(unsigned c, unsigned port, const Frame &frame, const xt_client_t *client)
{
	Card &card = cards_[c];
	Outgoing &out = card.out[port];

	moves_++;
	portCells_[static_cast<size_t>(c) * Ports + port]++;
	if (card.peer[port].card == XT_NO_CARD) {
		return;
	}
	if (out.toGo == 0) {
		uint32_t cell[CellWords];

		frame.cell(cell);
		out.toGo = cellsOf(cell);
		if (client) {
			client->hop(client->context, c, port, frame.vc(), cycle_, cell);
		}
	}
	out.toGo--;
}

// Counts a credit that goes out for the first time, for cells that the peer has sent. False: it is to be
// lost, and the frame with it. A link without a link layer loses the credit alone, for good.
bool Network::passCredit(unsigned c, unsigned port, Frame &frame)
{
	Card &card = cards_[c];
	Outgoing &out = card.out[port];
	const xt_peer_t peer = card.peer[port];

	if (frame.ctrl() || !frame.hasCredit() || frame.creditSequence() != out.nextCredit) {
		return true;
	}
	out.nextCredit = (out.nextCredit + 1) & CreditSeqMask;
	if (faults_.empty() || !loseCredit(peer.card, peer.port)) {
		return true;
	}
	if (EXTORUS_FRAME_LAYER) {
		return false;
	}
	frame.dropCredit();
	return frame.hasCell();
}

bool Network::spoil(Outgoing &out, double rate, Frame &frame)
{
	bool passes = out.errors.pass(rate, cycle_, frame);

	errors_ += out.errors.takeErrors();
	return passes;
}

// ---------------------------------------------------------------- faults

void Network::addFault(const xt_fault_t &fault)
{
	faults_.push_back({fault, 0, false});
}

unsigned Network::faultsWaiting() const
{
	return static_cast<unsigned>(
		std::count_if(faults_.begin(), faults_.end(), [](const Fault &f) { return !f.done; }));
}

void Network::spoilCell(unsigned card, unsigned port, Frame &frame)
{
	for (Fault &f : faults_) {
		if (f.what.kind == XT_FAULT_FLIP_BIT && !f.done && f.what.card == card && f.what.port == port &&
			cycle_ >= f.what.n) {
			frame.flipCellBit(f.what.bit);
			f.done = true;
			return;
		}
	}
}

bool Network::loseCredit(unsigned card, unsigned port)
{
	for (Fault &f : faults_) {
		if (f.what.kind == XT_FAULT_DROP_CREDIT && !f.done && f.what.card == card && f.what.port == port &&
			f.seen++ == f.what.n) {
			f.done = true;
			return true;
		}
	}
	return false;
}

// Those that begin at a cycle.
void Network::startFaults()
{
	for (Fault &f : faults_) {
		if (f.done || cycle_ < f.what.n) {
			continue;
		}
		if (f.what.kind == XT_FAULT_BLOCK_NIC) {
			cards_[f.what.card].blockedNics |= 1u << (f.what.port - Links);
			f.done = true;
		} else if (f.what.kind == XT_FAULT_KILL_LINK) {
			const xt_peer_t peer = cards_[f.what.card].peer[f.what.port];

			cards_[f.what.card].out[f.what.port].dead = true;
			cards_[peer.card].out[peer.port].dead = true;
			f.done = true;
		}
	}
}

// ---------------------------------------------------------------- runs and registers

// Errors of their own for every directed link, and links that were killed in the run before are whole.
void Network::prepareLinks(const xt_client_t &client)
{
	errors_ = 0;
	for (unsigned c = 0; c < cards_.size(); c++) {
		for (unsigned port = 0; port < Links; port++) {
			cards_[c].out[port].dead = false;
			cards_[c].out[port].downSince = UINT64_MAX;
			cards_[c].out[port].errors.seed(client.error_seed, c * Links + port);
		}
	}
}
