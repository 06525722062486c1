// SPDX-License-Identifier: Apache-2.0
//
// Adaptive routes against the rule of the register map: the candidates, the chosen one, and the escape. A
// packet that cannot go on takes its deterministic route in time.
#include <algorithm>

#include "test_case.hpp"

namespace
{

struct Entry {
	unsigned index, port, vc, mask; // vc within the TC
};

void write_route(Bench &bench, const Entry &entry)
{
	const Shape &s = shape();
	uint64_t word = 0;

	for (unsigned t = 0; t < s.tcs; t++) {
		uint64_t field = entry_field(true, entry.port, std::min(entry.vc, s.deterministic[t] - 1), entry.mask);

		word |= field << (16 * t);
	}
	bench.write_entry(XT_REG_LRT, entry.index, word);
}

// As many routes as there are masks, each with a deterministic way of its own.
std::vector<Entry> write_routes(Bench &bench)
{
	const Shape &s = shape();
	std::vector<Entry> entries;

	for (unsigned mask = 0; mask < 1u << s.links; mask++) {
		entries.push_back(
			{bench.direct_entries() + mask, bench.random.below(s.ports), bench.random.below(2), mask});
		write_route(bench, entries.back());
	}
	return entries;
}

// One of them by which packets from there are not sent back.
const Entry &any_entry(Bench &bench, const std::vector<Entry> &entries, unsigned in_port)
{
	for (;;) {
		const Entry &entry = entries[bench.random.below(static_cast<unsigned>(entries.size()))];

		if (!shape().turns_back(in_port, entry.port)) {
			return entry;
		}
	}
}

// Whether packets that come there may take an adaptive VC.
bool may_adapt(unsigned in_port, unsigned in_vc)
{
	const Shape &s = shape();
	unsigned tc = s.vc_tc[in_vc];

	return s.adaptive_vc(tc) < s.vcs && (s.is_nic(in_port) || in_vc == s.adaptive_vc(tc));
}

Packet adaptive_packet(Bench &bench, unsigned in_port, unsigned in_vc, const Entry &entry, unsigned cells)
{
	const Shape &s = shape();
	unsigned tc = s.vc_tc[in_vc];
	Packet p;

	p.id = bench.fresh_id();
	p.cells = cells;
	p.in_port = in_port;
	p.in_vc = in_vc;
	p.out_port = entry.port;
	p.out_vc = s.is_nic(entry.port) ? 0 : s.first_vc[tc] + std::min(entry.vc, s.deterministic[tc] - 1);
	p.dest = bench.random.below(s.grt_entries) << s.profile->lrt_bits | entry.index;
	// Never back by the link of arrival.
	p.adaptive_ports = may_adapt(in_port, in_vc) ? entry.mask & ~(1u << in_port) : 0;
	return p;
}

uint32_t adaptive_vcs()
{
	const Shape &s = shape();
	uint32_t set = 0;

	for (unsigned t = 0; t < s.tcs; t++) {
		set |= s.adaptive_vc(t) < s.vcs ? 1u << s.adaptive_vc(t) : 0;
	}
	return set;
}

unsigned adaptive_tc(Bench &bench)
{
	const Shape &s = shape();

	for (;;) {
		unsigned t = bench.random.below(s.tcs);

		if (s.adaptive_vc(t) < s.vcs) {
			return t;
		}
	}
}

void set_thresholds(Bench &bench, unsigned low, unsigned high)
{
	bench.write(XT_REG_ADAPTIVE_THRESHOLDS,
		low << XT_FIELD_ADAPTIVE_THRESHOLDS_LOW_LSB | high << XT_FIELD_ADAPTIVE_THRESHOLDS_HIGH_LSB);
}

struct Selection {
	unsigned select = 0, internal = 0, middle = 0, low = 0, high = 0;
};

// The set of ports from which one is to be chosen; 0: the deterministic way.
unsigned candidates(Bench &bench, const Selection &selection, unsigned mask, unsigned vc)
{
	const Shape &s = shape();
	unsigned all = (1u << s.links) - 1, usable = 0, low = 0;
	std::vector<unsigned> groups;

	for (unsigned p = 0; p < s.links; p++) {
		unsigned used = bench.link_sinks[p].account().used(vc);

		usable |= (used < selection.high) << p;
		low |= (used < selection.low) << p;
	}
	usable &= mask;
	switch (selection.select) {
	case 0:
		groups = {all};
		break;
	case 1:
		groups = {all & ~selection.internal};
		break;
	case 2:
		groups = {all & ~selection.internal, selection.internal};
		break;
	default:
		groups = {all & ~selection.internal & ~selection.middle, selection.middle & ~selection.internal,
			selection.internal};
	}
	for (unsigned group : groups) {
		if (usable & group) {
			return usable & group & low ? usable & group & low : usable & group;
		}
	}
	return 0;
}

// One packet at a time, so that occupancies, and with them the choice, are known exactly.
std::string choice(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	std::vector<Entry> entries = write_routes(bench);
	std::vector<int> last(s.ports, -1); // the port that an input chose last
	Selection selection;
	unsigned adapted = 0, deterministic = 0, none = 0, ranges = 0;

	for (LinkSink &sink : bench.link_sinks) {
		sink.withheld = adaptive_vcs();
	}
	for (unsigned n = 0; n < 1200 * options.scale; n++) {
		if (n % 20 == 0) {
			unsigned all = (1u << s.links) - 1;

			selection.select = n / 20 % 4;
			selection.internal =
				bench.random.below(4) ? 1u << bench.random.below(s.links) : bench.random.below(all + 1);
			selection.middle = bench.random.below(all + 1);
			selection.low = bench.random.below(12);
			selection.high = selection.low + bench.random.below(12);
			bench.write(XT_REG_ADAPTIVE_SELECT, selection.select);
			bench.write(
				XT_REG_ADAPTIVE_PORTS, selection.internal << XT_FIELD_ADAPTIVE_PORTS_INTERNAL_LSB |
							       selection.middle << XT_FIELD_ADAPTIVE_PORTS_MIDDLE_LSB);
			set_thresholds(bench, selection.low, selection.high);
			for (LinkSink &sink : bench.link_sinks) {
				sink.withheld = bench.random.below(2) ? adaptive_vcs() : 0;
			}
			bench.run(200);
			for (LinkSink &sink : bench.link_sinks) {
				sink.withheld = adaptive_vcs();
			}
		}
		unsigned in_port =
			bench.random.below(3) ? s.links + bench.random.below(s.nics) : bench.random.below(s.links);
		unsigned tc = bench.random.below(s.tcs);
		unsigned in_vc = s.first_vc[tc] + (s.is_nic(in_port) ? 0 : bench.random.below(s.vc_count[tc]));
		const Entry &entry = any_entry(bench, entries, in_port);
		Packet packet = adaptive_packet(bench, in_port, in_vc, entry, 1);
		unsigned vc = s.adaptive_vc(tc), out_port = entry.port, out_vc = packet.out_vc, set = 0;

		if (packet.adaptive_ports) {
			set = candidates(bench, selection, packet.adaptive_ports, vc);
			ranges |= set && (set != (set & entry.mask));
			if (set) {
				unsigned above = set & ~((2u << (last[in_port] + 0)) - 1);

				above = last[in_port] < 0 ? set : above;
				out_port = static_cast<unsigned>(__builtin_ctz(above ? above : set));
				out_vc = vc;
				last[in_port] = static_cast<int>(out_port);
				adapted++;
			} else {
				none++;
			}
		} else {
			deterministic++;
		}
		bench.clear_windows();
		bench.send(packet);
		bench.run_until(
			[&] {
				return bench.board.entered() == bench.board.left() && bench.board.inside() == 0 &&
				       bench.source(in_port).queued() == 0;
			},
			500, "the packet's way out");
		if (bench.sink(out_port).window.packets != 1 || bench.sink(out_port).window.out_vc[out_vc] != 1) {
			fail("cycle %llu: packet of input %u VC %u, mask 0x%x, went elsewhere than to output %u VC %u "
			     "(one of 0x%x; SELECT %u, internal 0x%x, middle 0x%x, thresholds %u and %u)",
				as_ull(bench.now()), in_port, in_vc, entry.mask, out_port, out_vc, set,
				selection.select, selection.internal, selection.middle, selection.low, selection.high);
		}
		// Until the switch knows of the cell.
		bench.run(8);
	}
	for (LinkSink &sink : bench.link_sinks) {
		sink.withheld = 0;
	}
	bench.drain();
	bench.check_home();
	return figure("%u packets to the one port of their mask that the rule names, %u with no usable one by their "
		      "deterministic route, %u that came on a deterministic VC or without a mask likewise",
		adapted, none, deterministic);
}

// Leaves no room for any packet behind the adaptive VC of `tc` at the ports of `mask`.
void fill_adaptive(Bench &bench, unsigned tc, unsigned mask, unsigned by)
{
	const Shape &s = shape();
	const int margin = static_cast<int>(s.left_over());
	unsigned vc = s.adaptive_vc(tc);

	for (unsigned p = 0; p < s.links; p++) {
		if (!(mask >> p & 1)) {
			continue;
		}
		const unsigned from = s.turns_back(by, p) ? (by + 1) % s.links : by;

		bench.link_sinks[p].withheld = 1u << vc;
		for (int room = bench.link_sinks[p].account().room(vc); room > margin; room--) {
			bench.send(bench.packet(from, vc, p, vc, 1));
		}
		bench.run_until([&] { return bench.board.inside() == 0 && bench.source(from).queued() == 0; }, 2000,
			"the filling of a buffer");
	}
}

// Packets whose adaptive VC is blocked, alone or beside other arrivals at their input.
std::string escape(const Options &options)
{
	const Shape &s = shape();
	uint64_t worst = 0, least_slack = UINT64_MAX;
	unsigned escaped = 0;

	for (unsigned n = 0; n < 36; n++) {
		const unsigned patiences[] = {20, 64, 150};
		const unsigned lengths[] = {1, 2, s.packet_cells};
		unsigned patience = patiences[n % 3], cells = lengths[n / 3 % 3];
		bool beside = n / 9 % 2, from_nic = n / 18 % 2;
		unsigned length = lengths[(n + n / 3) % 3]; // of the others
		Bench bench(options);
		unsigned tc = adaptive_tc(bench), vc = s.adaptive_vc(tc);
		unsigned in_port = from_nic ? s.links : bench.random.below(s.links - 1), filler = s.links - 1;
		// The deterministic way, and an output for the other arrivals: neither is in the mask.
		Entry entry = {bench.direct_entries(), bench.random.below(s.links), bench.random.below(2), 0};
		unsigned other = (entry.port + 1) % s.links;

		while (s.turns_back(in_port, entry.port) || s.turns_back(in_port, other)) {
			entry.port = other;
			other = (other + 1) % s.links;
		}
		entry.mask = ((1u << s.links) - 1) & ~(1u << entry.port | 1u << other);
		write_route(bench, entry);
		set_thresholds(bench, 0, 0xffff);
		fill_adaptive(bench, tc, entry.mask, filler);
		bench.write(XT_REG_ADAPTIVE_PATIENCE, patience);
		if (beside) {
			bench.source(in_port).generated_vcs = 1u << s.first_vc[(tc + 1) % s.tcs];
			// Of both queues of its TC: one alone lets half of the single cells through, and then they
			// pause.
			bench.source(in_port).generator = [&bench, &s, in_port, other, length](unsigned v) {
				return bench.packet(in_port, v, other, bench.random_out_vc(other, s.vc_tc[v]), length);
			};
			bench.run(300);
		}
		for (unsigned k = 0; k < 4; k++) {
			unsigned in_vc = from_nic ? s.first_vc[tc] : vc;
			// The packets that are before it at its input and in the crossbar; single cells make way
			// after 32 cycles, and then when the buffer is full.
			uint64_t bound = 2 * (patience + 2) + s.head_latency() + 12 +
					 (beside ? 3 * s.packet_cells + (from_nic ? s.packet_cells : 0) : 0) +
					 (beside && length == 1 ? 32 + s.buffer_cells : 0);

			bench.clear_windows();
			bench.send(adaptive_packet(bench, in_port, in_vc, entry, cells));
			bench.run_until([&] { return bench.sink(entry.port).window.cells == cells; }, 20 * bound,
				"a packet's escape");
			uint64_t took = bench.sink(entry.port).window.latency_max;

			if (took < patience || took > bound) {
				fail("cycle %llu: PATIENCE %u: a packet of %u cells, %s, left by its deterministic "
				     "route after %llu cycles, should within %u to %llu",
					as_ull(bench.now()), patience, cells, beside ? "others arriving" : "alone",
					as_ull(took), patience, as_ull(bound));
			}
			worst = std::max(worst, took);
			least_slack = std::min(least_slack, bound - took);
			escaped++;
		}
		// Several at once: one after the other.
		for (unsigned k = 0; k < 6; k++) {
			bench.send(adaptive_packet(bench, in_port, from_nic ? s.first_vc[tc] : vc, entry, cells));
		}
		bench.run(6 * (2 * (patience + 2) + 4 * s.packet_cells));
		bench.stop_generators();
		for (LinkSink &sink : bench.link_sinks) {
			sink.withheld = 0;
		}
		bench.drain();
		bench.check_home();
	}
	return figure("%u packets left a blocked adaptive VC by their deterministic route, once and unaltered; the "
		      "slowest after %llu cycles, %llu within its bound at least",
		escaped, as_ull(worst), as_ull(least_slack));
}

// Random masks at all inputs, outputs blocked at random, patience short: each packet comes out by one of the
// ways it may take.
std::string soak(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	std::vector<Entry> entries = write_routes(bench);
	uint64_t by_adaptive = 0, packets = 0;

	for (unsigned phase = 0; phase < 25 * options.scale; phase++) {
		unsigned lengths = bench.random.below(3), low = bench.random.below(60);
		const unsigned patiences[] = {0, 3, 20, 64, 300};

		bench.write(XT_REG_ADAPTIVE_SELECT, bench.random.below(4));
		bench.write(XT_REG_ADAPTIVE_PORTS, static_cast<uint32_t>(bench.random.next()));
		set_thresholds(bench, low, low + bench.random.below(300));
		bench.write(XT_REG_ADAPTIVE_PATIENCE, patiences[bench.random.below(5)]);
		for (unsigned p = 0; p < s.ports; p++) {
			Source &source = bench.source(p);
			const double gaps[] = {0, 0.02, 0.3, 0.8};

			source.gap_between = gaps[bench.random.below(4)];
			source.gap_within = gaps[bench.random.below(3)];
			source.generated_vcs = s.is_nic(p) ? bench.source_vcs(p) : (1u << s.vcs) - 1;
			source.generator = [&bench, &s, &entries, p, lengths](unsigned vc) {
				Random &r = bench.random;
				unsigned cells = lengths == 0 ? 1 : r.between(1, lengths == 1 ? 3 : s.packet_cells);

				return adaptive_packet(bench, p, vc, any_entry(bench, entries, p), cells);
			};
		}
		for (LinkSink &sink : bench.link_sinks) {
			sink.withheld = bench.random.below(2) ? static_cast<uint32_t>(bench.random.next()) : 0;
		}
		for (NicSink &sink : bench.nic_sinks) {
			sink.stall = bench.random.below(2) ? 0.5 : 0;
		}
		bench.run(1500);
		if (bench.random.below(2)) {
			for (LinkSink &sink : bench.link_sinks) {
				sink.withheld = 0;
			}
			bench.stop_generators();
			bench.drain();
			bench.check_home();
		}
	}
	for (LinkSink &sink : bench.link_sinks) {
		sink.withheld = 0;
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	for (LinkSink &sink : bench.link_sinks) {
		for (unsigned t = 0; t < s.tcs; t++) {
			by_adaptive += s.adaptive_vc(t) < s.vcs ? sink.window.out_vc[s.adaptive_vc(t)] : 0;
		}
		packets += sink.window.packets;
	}
	if (!by_adaptive) {
		fail("no cell left by an adaptive VC");
	}
	return figure("%llu packets, each out once by a way it may take, %llu cells by adaptive VCs; all cells and "
		      "credits home",
		as_ull(bench.board.left()), as_ull(by_adaptive));
}

} // namespace

std::vector<TestCase> adaptive_tests()
{
	if (!shape().has(XT_FEATURE_ADAPTIVE)) {
		return {};
	}
	return {{"adaptive-choice", choice}, {"adaptive-escape", escape}, {"adaptive-soak", soak}};
}
