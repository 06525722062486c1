// SPDX-License-Identifier: Apache-2.0
#include "cosim_ranks.hpp"

#include <algorithm>
#include <cinttypes>
#include <new>
#include <zlib.h>

#include "base/clock.h"

namespace
{

enum Tag : unsigned { TagEpoch = 10, TagCommand = 11, TagAnswer = 12, TagPace = 13 };

int outOfMemory(xt_diag_t *diag)
{
	return xt_fail(diag, XT_ERR_NOMEM, "co-simulation: out of memory for a message");
}

int cutOff(unsigned rank, xt_diag_t *diag)
{
	return xt_fail(diag, XT_ERR_PROTOCOL, "rank %u: its message is cut off", rank);
}

} // namespace

// At the begin of an epoch's message.
struct CosimRanks::Head {
	uint64_t until; // the cycle after the epoch
	uint32_t cycles, sum, crossings, journals;
};

CosimRanks::CosimRanks(Cosim &cosim, const xt_client_t &client)
    : cosim_(cosim), ranks_(client.ranks), own_(xt_ranks_own(client.ranks)), count_(xt_ranks_count(client.ranks)),
      timeout_(client.rank_timeout), cards_(client.rank_cards, client.rank_cards + count_ + 1), neighbour_(count_),
      leaving_(count_), out_(count_), posted_(count_), told_(count_)
{
	findNeighbours();
	sum_ = sumOf();
	times.cards = end() - first();
}

CosimRanks::~CosimRanks()
{
	xt_diag_t diag;

	if (serves_ && leads() && !broken_) {
		(void)command({End, 0, 0, 0, 0, 0, 0}, &diag);
	}
	for (size_t i = 0; i < out_.size(); i++) {
		// What MPI may still read stays.
		if (!posted_[i]) {
			std::free(out_[i].items);
		}
	}
	std::free(in_.items);
}

// Every rank is rank 0's neighbour, and those are that a link leads to.
void CosimRanks::findNeighbours()
{
	for (unsigned r = 0; r < count_; r++) {
		neighbour_[r] = r != own_ && (own_ == 0 || r == 0);
	}
	for (uint32_t c = first(); c < end(); c++) {
		for (const xt_peer_t &peer : cosim_.cards[c].peer) {
			if (peer.card != XT_NO_CARD && (peer.card < first() || peer.card >= end())) {
				neighbour_[ownerOf(peer.card)] = 1;
				times.cut_links++;
			}
		}
	}
}

uint32_t CosimRanks::sumOf() const
{
	const uint32_t sizes[] = {static_cast<uint32_t>(cosim_.cards.size()), cosim_.latency, sizeof(Part::Crossing),
		sizeof(Journal::Mark), EXTORUS_PROFILE_HASH};
	unsigned long sum = crc32(0, reinterpret_cast<const Bytef *>(sizes), sizeof(sizes));

	for (const Cosim::Card &card : cosim_.cards) {
		sum = crc32(sum, reinterpret_cast<const Bytef *>(card.peer), sizeof(card.peer));
	}
	return static_cast<uint32_t>(crc32(sum, reinterpret_cast<const Bytef *>(cards_.data()),
		static_cast<uInt>(cards_.size() * sizeof(cards_[0]))));
}

int CosimRanks::send(unsigned to, const std::vector<Journal> &own, unsigned cycles, xt_diag_t *diag)
{
	std::vector<Part::Crossing> &leaving = leaving_[to];
	xt_bytes_t *out = &out_[to];
	const Head head = {cosim_.cycle + cycles, cycles, sum_, static_cast<uint32_t>(leaving.size()),
		to == 0 ? static_cast<uint32_t>(own.size()) : 0};

	out->count = 0;
	bool made = xt_bytes_add(out, &head, sizeof(head)) &&
		    xt_bytes_add(out, leaving.data(), leaving.size() * sizeof(leaving[0]));

	for (uint32_t i = 0; i < head.journals && made; i++) {
		made = own[i].pack(*out);
	}
	leaving.clear();
	times.bytes += out->count;
	return made ? xt_ranks_post(ranks_, to, TagEpoch, out->items, out->count, &posted_[to], diag)
		    : outOfMemory(diag);
}

int CosimRanks::receive(unsigned from, unsigned tag, double timeout, xt_bytes_t &bytes, xt_diag_t *diag)
{
	size_t size = 0;
	int status = xt_ranks_wait(ranks_, &from, tag, &size, timeout, diag);

	if (status == XT_OK && !xt_bytes_reserve(&bytes, size + 8)) {
		status = outOfMemory(diag);
	}
	bytes.count = size;
	if (status == XT_OK) {
		status = xt_ranks_take(ranks_, from, tag, bytes.items, size, timeout, diag);
		// What MPI may still write stays.
		bytes = status == XT_ERR_TIMEOUT ? xt_bytes_t{} : bytes;
	}
	return status;
}

int CosimRanks::take(unsigned from, unsigned cycles, std::vector<Part::Crossing> &arrived, xt_diag_t *diag)
{
	int status = receive(from, TagEpoch, timeout_, in_, diag);

	if (status != XT_OK) {
		return status;
	}
	xt_bytes_reader_t reader = {
		static_cast<const char *>(in_.items), static_cast<const char *>(in_.items) + in_.count};
	Head head;

	if (!xt_bytes_take(&reader, &head, sizeof(head)) || head.sum != sum_) {
		return xt_fail(diag, XT_ERR_MISMATCH, "rank %u: it has another partition, network or profile", from);
	}
	if (head.until != cosim_.cycle + cycles || head.cycles != cycles) {
		return xt_fail(diag, XT_ERR_PROTOCOL,
			"rank %u: its message is of the %" PRIu32 " cycles before %" PRIu64
			", and comes late or early in the %u before %" PRIu64,
			from, head.cycles, head.until, cycles, cosim_.cycle + cycles);
	}
	const void *frames = xt_bytes_next(&reader, head.crossings * sizeof(Part::Crossing));

	if (!frames) {
		return cutOff(from, diag);
	}
	for (uint32_t i = 0; i < head.crossings; i++) {
		Part::Crossing frame;

		std::memcpy(&frame, static_cast<const Part::Crossing *>(frames) + i, sizeof(frame));
		if (frame.card < first() || frame.card >= end() || frame.port >= Cosim::Links) {
			return xt_fail(
				diag, XT_ERR_PROTOCOL, "rank %u: it sends what is for another rank's card", from);
		}
		if (frame.when < cosim_.now + cycles || frame.when >= cosim_.now + cycles + cosim_.slots) {
			return xt_fail(diag, XT_ERR_PROTOCOL, "rank %u: a frame comes too late", from);
		}
		arrived.push_back(frame);
	}
	if (head.journals > cosim_.cards.size()) {
		return cutOff(from, diag);
	}
	told_[from].resize(head.journals);
	for (Journal &journal : told_[from]) {
		if (!journal.unpack(reader, cycles)) {
			return cutOff(from, diag);
		}
	}
	return XT_OK;
}

int CosimRanks::exchange(
	const std::vector<Journal> &own, unsigned cycles, std::vector<Part::Crossing> &arrived, xt_diag_t *diag)
{
	const double begin = xt_now_s();
	int status = XT_OK;

	for (unsigned r = 0; r < count_ && status == XT_OK; r++) {
		status = neighbour_[r] ? send(r, own, cycles, diag) : XT_OK;
	}
	const double sent = xt_now_s();

	for (unsigned r = 0; r < count_ && status == XT_OK; r++) {
		status = neighbour_[r] ? take(r, cycles, arrived, diag) : XT_OK;
	}
	if (status == XT_OK) {
		status = xt_ranks_finish(ranks_, posted_.data(), count_, timeout_, diag);
	}
	times.packing += sent - begin;
	times.waiting += xt_now_s() - sent;
	times.epochs++;
	broken_ = broken_ || status != XT_OK;
	return status;
}

// ---------------------------------------------------------------- what rank 0 asks of the others

int CosimRanks::command(const Command &command, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned r = 1; r < count_ && status == XT_OK; r++) {
		status = xt_ranks_send(ranks_, r, TagCommand, &command, sizeof(command), timeout_, diag);
	}
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::takeCommand(Command &command, std::vector<uint32_t> &words, xt_diag_t *diag)
{
	// Rank 0 may be long about its own affairs once the run is over.
	int status = receive(0, TagCommand, serves_ ? 0.0 : timeout_, in_, diag);
	xt_bytes_reader_t reader = {
		static_cast<const char *>(in_.items), static_cast<const char *>(in_.items) + in_.count};

	if (status == XT_OK && !xt_bytes_take(&reader, &command, sizeof(command))) {
		status = cutOff(0, diag);
	}
	words.clear();
	if (status == XT_OK && command.kind == Write) {
		const void *values = xt_bytes_next(&reader, command.count * sizeof(uint32_t));

		words.resize(values ? command.count : 0);
		status = values ? XT_OK : cutOff(0, diag);
		if (values && command.count) {
			std::memcpy(words.data(), values, command.count * sizeof(uint32_t));
		}
	}
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::sendCounts(const Counts &own, xt_diag_t *diag)
{
	xt_bytes_t out{};
	const size_t ports = static_cast<size_t>(end() - first()) * Cosim::Ports;
	bool made = xt_bytes_add(&out, &own, sizeof(own)) && xt_bytes_add(&out, &times, sizeof(times)) &&
		    xt_bytes_add(&out, &cosim_.portCells[static_cast<size_t>(first()) * Cosim::Ports],
			    ports * sizeof(uint64_t));

	for (const Cosim::Fault &fault : cosim_.faults) {
		const uint64_t done = fault.done;

		made = made && xt_bytes_add(&out, &done, sizeof(done));
	}
	for (uint32_t c = first(); c < end(); c++) {
		for (const Cosim::Outgoing &port : cosim_.cards[c].out) {
			made = made && xt_bytes_add(&out, &port.downSince, sizeof(port.downSince));
		}
	}
	int status =
		made ? xt_ranks_send(ranks_, 0, TagAnswer, out.items, out.count, timeout_, diag) : outOfMemory(diag);

	std::free(out.items);
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::takeCounts(Counts &all, xt_rank_times_t *all_times, xt_diag_t *diag)
{
	int status = XT_OK;

	if (all_times) {
		all_times[0] = times;
	}
	for (unsigned r = 1; r < count_ && status == XT_OK; r++) {
		status = receive(r, TagAnswer, timeout_, in_, diag);
		if (status != XT_OK) {
			break;
		}
		xt_bytes_reader_t reader = {
			static_cast<const char *>(in_.items), static_cast<const char *>(in_.items) + in_.count};
		const size_t ports = static_cast<size_t>(cards_[r + 1] - cards_[r]) * Cosim::Ports;
		Counts counts;
		xt_rank_times_t spent;
		bool made = xt_bytes_take(&reader, &counts, sizeof(counts)) &&
			    xt_bytes_take(&reader, &spent, sizeof(spent)) &&
			    xt_bytes_take(&reader, &cosim_.portCells[static_cast<size_t>(cards_[r]) * Cosim::Ports],
				    ports * sizeof(uint64_t));

		for (Cosim::Fault &fault : cosim_.faults) {
			uint64_t done = 0;

			made = made && xt_bytes_take(&reader, &done, sizeof(done));
			fault.done = fault.done || done;
		}
		for (uint32_t c = cards_[r]; c < cards_[r + 1]; c++) {
			for (Cosim::Outgoing &port : cosim_.cards[c].out) {
				made = made && xt_bytes_take(&reader, &port.downSince, sizeof(port.downSince));
			}
		}
		if (!made) {
			status = cutOff(r, diag);
			break;
		}
		all.evaluated += counts.evaluated;
		all.errors += counts.errors;
		if (all_times) {
			all_times[r] = spent;
		}
	}
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::order(const Command &command, const uint32_t *given, bool everyone, xt_diag_t *diag)
{
	xt_bytes_t out{};
	bool made = xt_bytes_add(&out, &command, sizeof(command)) &&
		    (!given || xt_bytes_add(&out, given, command.count * sizeof(*given)));
	int status = made ? XT_OK : outOfMemory(diag);

	for (unsigned r = 1; r < count_ && status == XT_OK; r++) {
		if (everyone || r == ownerOf(command.card)) {
			status = xt_ranks_send(ranks_, r, TagCommand, out.items, out.count, timeout_, diag);
		}
	}
	std::free(out.items);
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::pace(uint32_t cycles, bool on, xt_diag_t *diag)
{
	const uint64_t word = uint64_t{cycles} << 1 | on;
	int status = XT_OK;

	for (unsigned r = 0; r < count_ && status == XT_OK; r++) {
		status = r != own_ ? xt_ranks_send(ranks_, r, TagPace, &word, sizeof(word), timeout_, diag) : XT_OK;
	}
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::takeWord(unsigned from, unsigned tag, uint64_t &word, xt_diag_t *diag)
{
	int status = receive(from, tag, timeout_, in_, diag);
	xt_bytes_reader_t reader = {
		static_cast<const char *>(in_.items), static_cast<const char *>(in_.items) + in_.count};

	if (status == XT_OK && !xt_bytes_take(&reader, &word, sizeof(word))) {
		status = cutOff(from, diag);
	}
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::takePace(uint32_t card, uint32_t &cycles, bool &on, xt_diag_t *diag)
{
	uint64_t word = 0;
	int status = takeWord(ownerOf(card), TagPace, word, diag);

	cycles = static_cast<uint32_t>(word >> 1);
	on = word & 1;
	return status;
}

int CosimRanks::latest(uint64_t &cycle, xt_diag_t *diag)
{
	const auto tell = [&](unsigned rank) {
		return xt_ranks_send(ranks_, rank, TagPace, &cycle, sizeof(cycle), timeout_, diag);
	};
	int status = leads() ? XT_OK : tell(0);

	for (unsigned r = leads() ? 1 : 0; r < (leads() ? count_ : 1) && status == XT_OK; r++) {
		uint64_t other = 0;

		status = takeWord(r, TagPace, other, diag);
		cycle = std::max(cycle, other);
	}
	for (unsigned r = 1; leads() && r < count_ && status == XT_OK; r++) {
		status = tell(r);
	}
	broken_ = broken_ || status != XT_OK;
	return status;
}

int CosimRanks::takeAnswer(const Command &command, uint32_t *taken, xt_diag_t *diag)
{
	const unsigned rank = ownerOf(command.card);
	int32_t said = XT_OK;
	xt_diag_t why;
	int status = receive(rank, TagAnswer, timeout_, in_, diag);

	broken_ = broken_ || status != XT_OK;
	if (status != XT_OK) {
		return status;
	}
	xt_bytes_reader_t reader = {
		static_cast<const char *>(in_.items), static_cast<const char *>(in_.items) + in_.count};

	bool whole = xt_bytes_take(&reader, &said, sizeof(said)) && xt_bytes_take(&reader, &why, sizeof(why));

	for (Cosim::Outgoing &port : cosim_.cards[command.card].out) {
		whole = whole && xt_bytes_take(&reader, &port.downSince, sizeof(port.downSince));
	}
	if (!whole || (taken && said == XT_OK && !xt_bytes_take(&reader, taken, command.count * sizeof(*taken)))) {
		return cutOff(rank, diag);
	}
	if (said != XT_OK) {
		*diag = why;
	}
	return said;
}

int CosimRanks::answer(
	uint32_t card, int said, const std::vector<uint32_t> &values, const xt_diag_t &why, xt_diag_t *diag)
{
	xt_bytes_t out{};
	const int32_t code = said;
	bool made = xt_bytes_add(&out, &code, sizeof(code)) && xt_bytes_add(&out, &why, sizeof(why));

	for (const Cosim::Outgoing &port : cosim_.cards[card].out) {
		made = made && xt_bytes_add(&out, &port.downSince, sizeof(port.downSince));
	}
	made = made && xt_bytes_add(&out, values.data(), values.size() * sizeof(values[0]));
	int status =
		made ? xt_ranks_send(ranks_, 0, TagAnswer, out.items, out.count, timeout_, diag) : outOfMemory(diag);

	std::free(out.items);
	broken_ = broken_ || status != XT_OK;
	return status;
}
