// SPDX-License-Identifier: Apache-2.0
#include "part_journal.hpp"

#include <algorithm>

const uint32_t *Journal::fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	auto *journal = static_cast<Journal *>(context);
	xt_packet_t packet{};
	const uint32_t *made = journal->client_->make(journal->client_->context, pe, cycle, &packet, cells);

	if (made) {
		journal->packets_.push_back(packet);
		journal->put({cycle, pe, 0, Fetch, 0, 0, 0, 0, {}}, nullptr);
	}
	return made;
}

void Journal::sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned)
{
	static_cast<Journal *>(context)->put({cycle, pe, index, Sent, 0, 0, 0, 0, {}}, nullptr);
}

void Journal::received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned, int last, int poisoned)
{
	static_cast<Journal *>(context)->put(
		{cycle, pe, 0, Received, static_cast<uint8_t>(last), static_cast<uint8_t>(poisoned), 0, 0, {}}, cells);
}

void Journal::hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	static_cast<Journal *>(context)->put(
		{cycle, card, 0, Hop, 0, 0, static_cast<uint8_t>(port), static_cast<uint8_t>(vc), {}}, cell);
}

void Journal::put(const Telling &telling, const uint32_t *cell)
{
	tellings_.push_back(telling);
	if (cell) {
		std::copy_n(cell, Cosim::CellWords, tellings_.back().cell);
	}
}

void Journal::step(Part &part, const xt_client_t &client, unsigned cycles)
{
	xt_client_t writing = client;

	client_ = &client;
	writing.context = this;
	writing.fetch = fetch;
	writing.sent = sent;
	writing.received = received;
	writing.hop = client.hop ? hop : nullptr;
	tellings_.clear();
	packets_.clear();
	marks_.clear();
	told_ = packetTold_ = 0;
	for (unsigned i = 0; i < cycles; i++) {
		part.step(&writing, i);
		marks_.push_back({part.moves, part.inTransit, static_cast<uint32_t>(tellings_.size()), part.isBusy()});
	}
}

void Journal::tellPackets(const xt_client_t &client, unsigned cycle)
{
	while (told_ < marks_[cycle].told && tellings_[told_].kind == Fetch) {
		client.begin(client.context, &packets_[packetTold_++]);
		told_++;
	}
}

void Journal::tellRest(const xt_client_t &client, unsigned cycle)
{
	for (; told_ < marks_[cycle].told; told_++) {
		const Telling &t = tellings_[told_];

		if (t.kind == Sent) {
			client.sent(client.context, t.who, t.cycle, t.index, 1);
		} else if (t.kind == Received) {
			client.received(client.context, t.who, t.cycle, t.cell, 1, t.last, t.poisoned);
		} else if (t.kind == Hop) {
			client.hop(client.context, t.who, t.port, t.vc, t.cycle, t.cell);
		}
	}
}

namespace
{

template <typename Item> bool packList(xt_bytes_t &out, const std::vector<Item> &list)
{
	const uint64_t count = list.size();

	return xt_bytes_add(&out, &count, sizeof(count)) && xt_bytes_add(&out, list.data(), list.size() * sizeof(Item));
}

template <typename Item> bool unpackList(xt_bytes_reader_t &reader, std::vector<Item> &list)
{
	uint64_t count = 0;
	const void *items = nullptr;

	if (xt_bytes_take(&reader, &count, sizeof(count)) &&
		count <= static_cast<size_t>(reader.end - reader.at) / sizeof(Item)) {
		items = xt_bytes_next(&reader, count * sizeof(Item));
	}
	list.resize(items ? count : 0);
	if (items && count) {
		std::memcpy(list.data(), items, count * sizeof(Item));
	}
	return items != nullptr;
}

} // namespace

bool Journal::pack(xt_bytes_t &out) const
{
	return packList(out, marks_) && packList(out, tellings_) && packList(out, packets_);
}

bool Journal::unpack(xt_bytes_reader_t &reader, unsigned cycles)
{
	uint32_t told = 0;

	told_ = packetTold_ = 0;
	if (!unpackList(reader, marks_) || !unpackList(reader, tellings_) || !unpackList(reader, packets_) ||
		marks_.size() != cycles) {
		return false;
	}
	for (const Mark &mark : marks_) {
		if (mark.told < told || mark.told > tellings_.size()) {
			return false;
		}
		told = mark.told;
	}
	return static_cast<size_t>(std::count_if(tellings_.begin(), tellings_.end(),
		       [](const Telling &t) { return t.kind == Fetch; })) == packets_.size();
}
