// SPDX-License-Identifier: Apache-2.0
#include "bench_packet.hpp"

#include <cstdio>

#include "failure.hpp"
#include "random.hpp"

void cell_set(Cell &cell, unsigned lsb, unsigned width, uint32_t value)
{
	for (unsigned i = 0; i < width; i++) {
		unsigned bit = lsb + i;

		cell[bit / 32] &= ~(1u << (bit % 32));
		cell[bit / 32] |= ((value >> i) & 1u) << (bit % 32);
	}
}

uint32_t cell_get(const Cell &cell, unsigned lsb, unsigned width)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < width; i++) {
		unsigned bit = lsb + i;

		value |= ((cell[bit / 32] >> (bit % 32)) & 1u) << i;
	}
	return value;
}

std::string cell_text(const Cell &cell)
{
	std::string text;
	char word[16];

	for (unsigned w = shape().cell_words; w-- > 0;) {
		std::snprintf(word, sizeof(word), "%08x%s", cell[w], w ? "_" : "");
		text += word;
	}
	return text;
}

Cell Packet::cell(unsigned index) const
{
	const Shape &s = shape();
	Cell c{};

	for (unsigned w = 0; w < s.cell_words; w++) {
		c[w] = static_cast<uint32_t>(mix((id << 16) ^ (index << 8) ^ w));
	}
	if (index == 0) {
		cell_set(c, s.header.dest_lsb, s.header.dest_bits, dest);
		cell_set(c, s.header.src_lsb, s.header.src_bits, in_port << 4 | in_vc);
		cell_set(c, s.header.len_lsb, s.header.len_bits, cells - 1);
		cell_set(c, s.header.tc_lsb, s.header.tc_bits, missing_tc ? s.tcs : tc());
	}
	return c;
}

uint32_t Scoreboard::key(unsigned in_port, unsigned in_vc, unsigned out_port, unsigned out_vc)
{
	return in_port << 24 | in_vc << 16 | out_port << 8 | out_vc;
}

void Scoreboard::enter(const Packet &packet)
{
	if (packet.illegal || packet.missing_tc) {
		return;
	}
	if (packet.adaptive_ports) {
		adaptive_[header(packet.cell(0))] = packet;
	} else {
		queues_[key(packet.in_port, packet.in_vc, packet.out_port, packet.out_vc)].push_back(packet);
	}
	inside_++;
	entered_++;
}

Cell Scoreboard::header(Cell head) const
{
	if (stamped) {
		cell_set(head, shape().header.stamp_lsb, shape().header.stamp_bits, 0);
	}
	return head;
}

size_t Scoreboard::astray(const std::vector<unsigned> &out_port) const
{
	size_t found = 0;

	for (const auto &[k, queue] : queues_) {
		found += (k >> 8 & 255) == out_port[k >> 24] ? 0 : queue.size();
	}
	return found;
}

std::deque<Packet> Scoreboard::forget(unsigned out_port)
{
	std::deque<Packet> forgotten;

	for (auto &[k, queue] : queues_) {
		if ((k >> 8 & 255) == out_port) {
			forgotten.insert(forgotten.end(), queue.begin(), queue.end());
			queue.clear();
		}
	}
	inside_ -= forgotten.size();
	return forgotten;
}

Packet Scoreboard::leave(const Cell &head_cell, unsigned out_port, unsigned out_vc, uint64_t now)
{
	const Shape &s = shape();
	Cell head = header(head_cell);
	auto free = adaptive_.find(head);

	if (free != adaptive_.end()) {
		Packet packet = free->second;
		bool adaptive = !s.is_nic(out_port) && (packet.adaptive_ports >> out_port & 1) &&
				out_vc == s.adaptive_vc(packet.tc());

		if (!adaptive && (out_port != packet.out_port || out_vc != packet.out_vc)) {
			fail("cycle %llu: output %u VC %u: packet %llu, from input %u VC %u, may leave by the "
			     "adaptive VC "
			     "of the ports in 0x%x and by output %u VC %u",
				as_ull(now), out_port, out_vc, as_ull(packet.id), packet.in_port, packet.in_vc,
				packet.adaptive_ports, packet.out_port, packet.out_vc);
		}
		adaptive_.erase(free);
		packet.out_port = out_port;
		packet.out_vc = out_vc;
		inside_--;
		left_++;
		return packet;
	}
	uint32_t source = cell_get(head, s.header.src_lsb, s.header.src_bits);
	unsigned in_port = source >> 4, in_vc = source & 15;
	auto found = queues_.find(key(in_port, in_vc, out_port, out_vc));

	if (found == queues_.end() || found->second.empty()) {
		fail("cycle %llu: output %u VC %u: a head that is not expected there, from input %u VC %u: %s",
			as_ull(now), out_port, out_vc, in_port, in_vc, cell_text(head).c_str());
	}
	std::deque<Packet> &queue = found->second;

	if (header(queue.front().cell(0)) != head) {
		for (size_t i = 1; i < queue.size(); i++) {
			if (header(queue[i].cell(0)) == head) {
				fail("cycle %llu: output %u VC %u: packet %llu from input %u VC %u came before %zu "
				     "older ones "
				     "(first of them %llu): lost or out of order",
					as_ull(now), out_port, out_vc, as_ull(queue[i].id), in_port, in_vc, i,
					as_ull(queue.front().id));
			}
		}
		fail("cycle %llu: output %u VC %u: head from input %u VC %u altered or duplicated: %s, expected %s",
			as_ull(now), out_port, out_vc, in_port, in_vc, cell_text(head).c_str(),
			cell_text(queue.front().cell(0)).c_str());
	}
	Packet packet = queue.front();

	queue.pop_front();
	inside_--;
	left_++;
	return packet;
}

std::string Scoreboard::waiting() const
{
	std::string text;
	unsigned shown = 0;

	if (!adaptive_.empty()) {
		const Packet &packet = adaptive_.begin()->second;

		text = std::to_string(adaptive_.size()) + " adaptive, one of them from in " +
		       std::to_string(packet.in_port) + "." + std::to_string(packet.in_vc) + " since cycle " +
		       std::to_string(packet.sent);
	}
	for (const auto &[k, queue] : queues_) {
		if (queue.empty()) {
			continue;
		}
		if (++shown > 6) {
			text += " ...";
			break;
		}
		char line[128];

		std::snprintf(line, sizeof(line), "%sin %u.%u -> out %u.%u: %zu, oldest of %u cells since cycle %llu",
			text.empty() ? "" : "; ", k >> 24, k >> 16 & 255, k >> 8 & 255, k & 255, queue.size(),
			queue.front().cells, as_ull(queue.front().sent));
		text += line;
	}
	return text;
}
