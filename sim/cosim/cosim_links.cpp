// SPDX-License-Identifier: Apache-2.0
//
// What goes over the links of the network, and what befalls it there.
#include "network_part.hpp"
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

void Part::sendFrame(unsigned c, unsigned port, const xt_client_t *client)
{
	Cosim::Card &card = cosim_.cards[c];
	Cosim::Outgoing &out = card.out[port];
	const xt_peer_t peer = card.peer[port];
	const uint64_t when = now_ + 1 + cosim_.latency;
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
		if (!cosim_.faults.empty()) {
			spoilCell(c, port, frame);
		}
	}
	if (peer.card == XT_NO_CARD || !cosim_.has(peer.card) || !passCredit(c, port, frame) || out.dead ||
		(client && client->error_rate > 0.0 && !spoil(out, client->error_rate, frame))) {
		return;
	}
	const Crossing crossing = {when, peer.card, peer.port, frame};

	if (has(peer.card)) {
		arrive(crossing);
	} else {
		leaving.push_back(crossing);
	}
	inTransit++;
}

// A cell that goes out for the first time.
void Part::sendCell(unsigned c, unsigned port, const Frame &frame, const xt_client_t *client)
{
	Cosim::Card &card = cosim_.cards[c];
	Cosim::Outgoing &out = card.out[port];

	moves++;
	cosim_.portCells[static_cast<size_t>(c) * Ports + port]++;
	if (card.peer[port].card == XT_NO_CARD) {
		return;
	}
	if (out.toGo == 0) {
		uint32_t cell[CellWords];

		frame.cell(cell);
		out.toGo = cellsOf(cell);
		if (client && client->hop) {
			client->hop(client->context, c, port, frame.vc(), cycle_, cell);
		}
	}
	out.toGo--;
}

// Counts a credit that goes out for the first time, for cells that the peer has sent. False: it is to be
// lost, and the frame with it. A link without a link layer loses the credit alone, for good.
bool Part::passCredit(unsigned c, unsigned port, Frame &frame)
{
	Cosim::Card &card = cosim_.cards[c];
	Cosim::Outgoing &out = card.out[port];
	const xt_peer_t peer = card.peer[port];

	if (frame.ctrl() || !frame.hasCredit() || frame.creditSequence() != out.nextCredit) {
		return true;
	}
	out.nextCredit = (out.nextCredit + 1) & CreditSeqMask;
	if (cosim_.faults.empty() || !loseCredit(peer.card, peer.port)) {
		return true;
	}
	if (EXTORUS_FRAME_LAYER) {
		return false;
	}
	frame.dropCredit();
	return frame.hasCell();
}

bool Part::spoil(Cosim::Outgoing &out, double rate, Frame &frame)
{
	bool passes = out.errors.pass(rate, cycle_, frame);

	errors += out.errors.takeErrors();
	return passes;
}

// ---------------------------------------------------------------- faults

// Whether a fault has happened is looked at by the part of its card only.
void Part::spoilCell(unsigned card, unsigned port, Frame &frame)
{
	for (Cosim::Fault &f : cosim_.faults) {
		if (f.what.card == card && f.what.port == port && f.what.kind == XT_FAULT_FLIP_BIT && !f.done &&
			cycle_ >= f.what.n) {
			frame.flipCellBit(f.what.bit);
			f.done = true;
			return;
		}
	}
}

bool Part::loseCredit(unsigned card, unsigned port)
{
	for (Cosim::Fault &f : cosim_.faults) {
		if (f.what.card == card && f.what.port == port && f.what.kind == XT_FAULT_DROP_CREDIT && !f.done &&
			f.seen++ == f.what.n) {
			f.done = true;
			return true;
		}
	}
	return false;
}
