// SPDX-License-Identifier: Apache-2.0
#include "traffic.hpp"

#include <algorithm>
#include <numeric>

#include "bits.hpp"
#include "extorus/profiles.h"
#include "network_impl.hpp"

namespace extorus
{

namespace
{

constexpr unsigned QuietLimit = 1000; // cycles until the cards have fallen idle after register accesses

int readRegisters(xt_engine_t *engine, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	return Traffic::of(engine).access(card, address, values, nullptr, count, diag);
}

int writeRegisters(
	xt_engine_t *engine, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	return Traffic::of(engine).access(card, address, nullptr, values, count, diag);
}

int setTables(xt_engine_t *engine, unsigned card, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *)
{
	Traffic::of(engine).setTables(card, grt, lrt);
	return XT_OK;
}

int runTraffic(xt_engine_t *engine, const xt_client_t *client, xt_diag_t *diag)
{
	return Traffic::of(engine).run(*client, diag);
}

uint64_t evaluated(const xt_engine_t *engine)
{
	return reinterpret_cast<const Traffic *>(engine)->evaluated();
}

// The network belongs to the platform.
void closeNothing(xt_engine_t *)
{
}

unsigned noFaults(const xt_engine_t *)
{
	return 0;
}

} // namespace

const xt_backend_t *trafficBackend()
{
	static const xt_backend_t backend = [] {
		xt_backend_t b{};

		b.abi = XT_BACKEND_ABI;
		b.size = sizeof(b);
		b.engine = "systemc";
		b.tables_cleared = 1;
		b.close = closeNothing;
		b.read = readRegisters;
		b.write = writeRegisters;
		b.backdoor = setTables;
		b.run = runTraffic;
		b.evaluated = evaluated;
		b.faults_waiting = noFaults;
		return b;
	}();

	return &backend;
}

// ---------------------------------------------------------------- registers and tables

int Traffic::access(
	unsigned card, uint32_t address, uint32_t *read, const uint32_t *write, size_t count, xt_diag_t *diag)
{
	Registers &registers = *impl_.registers[card];

	for (size_t i = 0; i < count; i++) {
		const uint32_t at = address + 4 * static_cast<uint32_t>(i);
		const Registers::Status status = read ? registers.read(at, read[i]) : registers.write(at, write[i]);

		if (status == Registers::Status::Refused) {
			return xt_fail(diag, XT_ERR_PROTOCOL, "card %u: %s register 0x%04x is refused", card,
				read ? "reading" : "writing", at);
		}
		if (status == Registers::Status::Silent) {
			return xt_fail(diag, XT_ERR_TIMEOUT, "card %u: register 0x%04x does not answer", card, at);
		}
	}
	return XT_OK;
}

void Traffic::setTables(unsigned card, const uint64_t *grt, const uint64_t *lrt)
{
	impl_.cards[card]->setTables(grt, lrt);
}

uint64_t Traffic::stepsOfCards() const
{
	return std::accumulate(impl_.cards.begin(), impl_.cards.end(), uint64_t{0},
		[](uint64_t sum, const std::unique_ptr<Card> &card) { return sum + card->evaluated(); });
}

uint64_t Traffic::evaluated() const
{
	return stepsOfCards() - evaluatedBefore_;
}

// ---------------------------------------------------------------- one cycle

// To where the outputs of the next cycle are on the pins; its inputs can be set then.
void Traffic::nextCycle()
{
	sc_core::wait(network->clk_i.posedge_event());
	sc_core::wait(sc_core::SC_ZERO_TIME);
}

bool Traffic::quiet() const
{
	return cardsQuiet_ && std::all_of(sentIn_.begin(), sentIn_.end(), [](unsigned sent) { return sent == 0; }) &&
	       std::all_of(sending_.begin(), sending_.end(), [](const Sending &s) { return !s.cells; });
}

// Every PE whose NIC is free and that has a packet begins to send it.
void Traffic::startPackets(const xt_client_t &client)
{
	for (unsigned pe = 0; pe < client.pes; pe++) {
		Sending &sending = sending_[pe];

		if (client.ready_at[pe] <= cycle_ && !sending.cells) {
			sending.cells = client.fetch(client.context, pe, cycle_, &sending.count);
			sending.next = 0;
		}
	}
}

// What the PE does in this cycle; the card takes it in at the coming edge.
void Traffic::driveNic(const xt_client_t &client, unsigned pe)
{
	const unsigned nics = impl_.profile->nic_ports, card = pe / nics, n = pe % nics;
	CardWires &wires = *impl_.wires[card];
	Sending &sending = sending_[pe];
	const bool ready = !(client.nic_stall && cycle_ % client.nic_period < client.nic_stall);
	const Beat &delivered = wires.nic_o[n].read();
	Beat beat;

	wires.nic_ready_i[n].write(ready);
	if (delivered.valid && ready) {
		portCells_[static_cast<size_t>(card) * xt_profile_ports(impl_.profile) + impl_.profile->link_ports +
			   n]++;
		moves_++;
		client.received(client.context, pe, cycle_, delivered.cell.data(), 1, delivered.last, delivered.user);
	}
	if (sending.cells) {
		beat.valid = true;
		beat.last = sending.next + 1 == sending.count;
		beat.cell.assign(sending.cells + static_cast<size_t>(sending.next) * cellWords_, cellWords_);
		if (wires.nic_ready_o[n].read()) {
			moves_++;
			client.sent(client.context, pe, cycle_, sending.next, 1);
			if (++sending.next == sending.count) {
				sending.cells = nullptr;
			}
		}
	}
	wires.nic_i[n].write(beat);
}

// A frame that leaves: counted if it has a cell that goes out for the first time.
void Traffic::watch(const xt_client_t &client, unsigned card, unsigned port, const Frame &frame)
{
	constexpr uint64_t Heard = 2;
	const xt_frame_layout_t &f = frame_;
	const uint32_t *words = frame.words.data();
	Outgoing &out = outgoing_[card * impl_.profile->link_ports + port];
	const uint64_t ctrl = getBits(words, f.ctrl_lsb, f.ctrl_bits);

	if (ctrl) {
		// A frame that only answers the other end's training, marked by the nack, does not begin anew.
		if (ctrl != Heard || !getBits(words, f.cell_nack_lsb, f.cell_nack_bits)) {
			out = Outgoing();
		}
		return;
	}
	if (!getBits(words, f.cell_valid_lsb, f.cell_valid_bits) ||
		getBits(words, f.cell_seq_lsb, f.cell_seq_bits) != out.nextCell) {
		return;
	}
	out.nextCell = (out.nextCell + 1) & ((1u << f.cell_seq_bits) - 1);
	moves_++;
	portCells_[static_cast<size_t>(card) * xt_profile_ports(impl_.profile) + port]++;
	if (impl_.peers[card * impl_.profile->link_ports + port].card == XT_NO_CARD) {
		return;
	}
	if (out.toGo == 0) {
		const xt_header_layout_t header = xt_profile_header(impl_.profile);
		uint32_t cell[decltype(Beat::cell)::Most];

		for (unsigned w = 0; w < cellWords_; w++) {
			cell[w] = static_cast<uint32_t>(
				getBits(words, f.cell_lsb + 32 * w, std::min(32u, f.cell_bits - 32 * w)));
		}
		out.toGo = static_cast<unsigned>(getBits(cell, header.len_lsb, header.len_bits)) + 1;
		if (client.hop) {
			client.hop(client.context, card, port,
				static_cast<unsigned>(getBits(words, f.vc_lsb, f.vc_bits)), cycle_, cell);
		}
	}
	out.toGo--;
}

// What the cards say after the edge.
void Traffic::collect(const xt_client_t &client)
{
	const unsigned links = impl_.profile->link_ports;
	unsigned sent = 0;

	cardsQuiet_ = true;
	for (unsigned c = 0; c < impl_.wires.size(); c++) {
		const CardWires &wires = *impl_.wires[c];

		cardsQuiet_ = cardsQuiet_ && wires.idle_o.read();
		for (unsigned p = 0; p < links; p++) {
			const Frame &frame = wires.link_o[p].read();

			if (frame.valid) {
				cardsQuiet_ = false;
				sent += impl_.peers[c * links + p].card != XT_NO_CARD;
				watch(client, c, p, frame);
			}
		}
	}
	sentIn_[cycle_ % sentIn_.size()] = sent;
}

// ---------------------------------------------------------------- a run

void Traffic::prepare()
{
	const unsigned cards = static_cast<unsigned>(impl_.cards.size());

	frame_ = xt_profile_frame(impl_.profile);
	cellWords_ = (impl_.profile->cell_bits + 31) / 32;
	sending_.assign(static_cast<size_t>(cards) * impl_.profile->nic_ports, Sending());
	// Numbers go on from the run before.
	outgoing_.resize(impl_.links.size());
	portCells_.assign(static_cast<size_t>(cards) * xt_profile_ports(impl_.profile), 0);
	sentIn_.assign(impl_.latency + 1, 0);
	moves_ = 0;
	evaluatedBefore_ = stepsOfCards();
}

// Until nothing of register accesses or of an earlier run is left.
int Traffic::settle(xt_diag_t *diag)
{
	for (unsigned cycle = 0, still = 0; cycle < QuietLimit; cycle++) {
		const bool idle = std::all_of(impl_.wires.begin(), impl_.wires.end(),
			[](const std::unique_ptr<CardWires> &wires) { return wires->idle_o.read(); });
		const bool busy = std::any_of(impl_.links.begin(), impl_.links.end(),
			[](const std::unique_ptr<Link> &link) { return link && link->busy(); });

		still = idle && !busy ? still + 1 : 0;
		nextCycle();
		if (still > impl_.latency + 2) {
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_UNSUPPORTED, "the network still holds packets of the run before");
}

int Traffic::run(const xt_client_t &client, xt_diag_t *diag)
{
	if (!impl_.nics.empty()) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"the NICs of this network have packet sockets; build it with NetworkOptions::packets false to "
			"run the library's traffic");
	}
	if (client.error_rate > 0.0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "the links of a SystemC network make no random errors");
	}
	int status = settle(diag);

	if (status != XT_OK) {
		return status;
	}
	prepare();
	cardsQuiet_ = true;
	for (cycle_ = 0;; cycle_++) {
		const xt_engine_state_t state = {cycle_, moves_, quiet(), portCells_.data(), nullptr, nullptr};

		if (client.cycle(client.context, &state)) {
			return XT_OK;
		}
		startPackets(client);
		for (unsigned pe = 0; pe < client.pes; pe++) {
			driveNic(client, pe);
		}
		nextCycle();
		collect(client);
	}
}

} // namespace extorus
