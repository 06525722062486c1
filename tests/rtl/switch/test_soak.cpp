// SPDX-License-Identifier: Apache-2.0
//
// Everything at random, and the books must balance.
#include <algorithm>

#include "test_case.hpp"

namespace
{

// Length of a packet, by one of five habits.
unsigned length(Random &random, unsigned habit)
{
	const Shape &s = shape();

	switch (habit) {
	case 0:
		return 1;
	case 1:
		return s.packet_cells;
	case 2:
		return random.between(1, std::min(3u, s.packet_cells));
	case 3:
		// Single cells, and the shortest and the longest packets of the length classes.
		if (random.below(2)) {
			return 1;
		}
		return std::min(s.profile->length_class[random.below(s.profile->length_classes)] + random.below(2),
			s.packet_cells);
	default:
		return random.between(1, s.packet_cells);
	}
}

// New habits for every peer.
void shuffle(Bench &bench)
{
	const Shape &s = shape();
	Random &random = bench.random;
	const double gaps[] = {0, 0, 0.02, 0.1, 0.5, 0.9};
	auto any_gap = [&] { return gaps[random.below(sizeof(gaps) / sizeof(gaps[0]))]; };
	unsigned lengths = random.below(5), pattern = random.below(4), hot = random.below(s.ports);

	for (unsigned p = 0; p < s.ports; p++) {
		Source &source = bench.source(p);

		source.gap_between = any_gap();
		source.gap_within = any_gap();
		source.generated_vcs = s.is_nic(p) ? bench.source_vcs(p) : (1u << s.vcs) - 1;
		if (random.below(4) == 0) {
			source.generated_vcs &= static_cast<uint32_t>(random.next());
		}
		source.generator = [&bench, &s, p, lengths, pattern, hot](unsigned vc) {
			Random &r = bench.random;
			unsigned tc = s.vc_tc[vc];
			unsigned cells = length(r, lengths);
			unsigned out = pattern == 0 && r.below(2) ? hot
				       : pattern == 1             ? (p + hot) % s.ports
								  : r.below(s.ports);

			// Dropped single cells come without a gap, and software's reads of the table would wait for
			// one.
			if (s.turns_back(p, out) && r.below(10)) {
				out = s.links;
			}
			if (r.below(50) == 0) {
				return bench.illegal_packet(p, vc, cells);
			}
			// Any VC of the TC, the adaptive one too: to the card a route is a route.
			Packet packet = bench.packet(p, vc, out, s.first_vc[tc] + r.below(s.vc_count[tc]), cells);

			if (s.is_nic(p) && r.below(50) == 0) {
				packet.beats = r.between(1, cells + 3);
			}
			return packet;
		};
	}
	for (LinkSink &sink : bench.link_sinks) {
		const unsigned extras[] = {0, 0, 3, 30, 200};
		const double return_gaps[] = {0, 0, 0, 0.2, 0.5, 0.8};

		sink.return_delay = shortest_round_trip() + random.below(8);
		sink.return_delay_extra = extras[random.below(5)];
		sink.return_gap = return_gaps[random.below(6)];
		sink.withheld = random.below(3) == 0 ? static_cast<uint32_t>(random.next()) : 0;
	}
	for (LinkSource &source : bench.link_sources) {
		source.credit_delay = shortest_round_trip() + random.below(8);
	}
	for (NicSink &sink : bench.nic_sinks) {
		sink.stall = any_gap();
	}
}

void settle(Bench &bench)
{
	for (LinkSink &sink : bench.link_sinks) {
		sink.withheld = 0;
	}
	for (NicSink &sink : bench.nic_sinks) {
		sink.stall = std::min(sink.stall, 0.5);
	}
	bench.stop_generators();
	bench.drain();
}

// Register accesses that must not disturb traffic, nor traffic them: counters, and table entries that no
// packet uses (those of the other half of the LRT, and the whole GRT).
void access_something(Bench &bench)
{
	const Shape &s = shape();
	unsigned port = bench.random.below(s.ports), ports = 1u << port | bench.random.below(1u << s.ports);
	bool global = bench.random.below(2);
	unsigned index =
		global ? bench.random.below(s.grt_entries) : s.lrt_entries / 2 + bench.random.below(s.lrt_entries / 2);
	uint64_t value = bench.random.next() & 0x8fff8fff8fff8fffull, entry;
	uint32_t free_cells = bench.read(XT_REG_FREE_CELLS, port);

	if (s.tcs < 4) {
		value &= (1ull << (16 * s.tcs)) - 1;
	}
	if (free_cells > s.buffer_cells) {
		fail("cycle %llu: FREE_CELLS[%u] is %u of %u", as_ull(bench.now()), port, free_cells, s.buffer_cells);
	}
	bench.write(XT_REG_TABLE_PORTS, ports);
	bench.write_entry(global ? XT_REG_GRT : XT_REG_LRT, index, value);
	bench.write(XT_REG_TABLE_READ_PORT, port);
	entry = bench.read_entry(global ? XT_REG_GRT : XT_REG_LRT, index);
	if (entry != value) {
		fail("cycle %llu: %s[%u] of port %u reads 0x%016llx, written 0x%016llx", as_ull(bench.now()),
			global ? "GRT" : "LRT", index, port, as_ull(entry), as_ull(value));
	}
}

std::string soak_cycles(Bench &bench, unsigned phases, unsigned cycles)
{
	uint64_t cells = 0, illegal = 0, misframed = 0;

	for (unsigned n = 0; n < phases; n++) {
		shuffle(bench);
		for (uint64_t end = bench.now() + cycles; bench.now() < end;) {
			bench.run(bench.random.below(200));
			access_something(bench);
		}
		// Sometimes the next phase finds the card full.
		if (bench.random.below(2)) {
			settle(bench);
			bench.check_home();
		}
	}
	settle(bench);
	bench.check_home();
	for (unsigned p = 0; p < shape().ports; p++) {
		for (unsigned t = 0; t < shape().tcs; t++) {
			cells += bench.sink(p).counts().cells[t];
		}
		illegal += bench.source(p).counts().illegal;
		misframed += bench.source(p).counts().misframed;
	}
	return figure(
		"%llu cycles: %llu packets, %llu cells, each out once, unaltered and in order; %llu dropped for want "
		"of a route, %llu misframed; all cells and credits home, all counters right",
		as_ull(bench.now()), as_ull(bench.board.left()), as_ull(cells), as_ull(illegal), as_ull(misframed));
}

std::string soak(const Options &options)
{
	Bench bench(options);

	return soak_cycles(bench, 60 * options.scale, 2000);
}

std::string registered_outputs(const Options &options)
{
	Bench bench(options);

	bench.check_registered_outputs = true;
	soak_cycles(bench, 3, 1500);
	return figure("%llu cycles, no output follows an input within the cycle", as_ull(bench.now()));
}

// A card that is not evaluated in the cycles in which idle_o allows that, beside one that always is.
std::string idle_skip(const Options &options)
{
	const Shape &s = shape();
	Options without_wave = options;
	Bench always(options), lazy((without_wave.wave.clear(), without_wave));
	uint64_t first = always.now();
	Random random(options.seed);

	lazy.skip_idle = true;
	for (unsigned n = 0; n < 400 * options.scale; n++) {
		unsigned in_port = random.below(s.ports), out_port = random.below(s.ports), tc = random.below(s.tcs);
		unsigned vc = s.first_vc[tc] + (s.is_nic(in_port) ? 0 : random.below(s.vc_count[tc]));
		unsigned cells = random.between(1, s.packet_cells),
			 gap = random.below(3) ? random.below(8) : random.below(300);
		bool illegal = random.below(20) == 0;

		for (Bench *bench : {&always, &lazy}) {
			bench->send(illegal ? bench->illegal_packet(in_port, vc, cells)
					    : bench->packet(in_port, vc, out_port, s.first_vc[tc], cells));
			for (LinkSink &sink : bench->link_sinks) {
				sink.return_delay = shortest_round_trip() + n % 40;
			}
			for (NicSink &sink : bench->nic_sinks) {
				sink.stall = n % 60 < 20 ? 0.97 : 0;
			}
			if (n % 50 == 0 && !bench->axi.writing()) {
				bench->axi.start_write(xt_register_address(XT_REG_CARD_ID, 0, 0), 0, 15, {});
			} else if (n % 50 == 25 && !bench->axi.reading()) {
				bench->axi.start_read(xt_register_address(XT_REG_STATUS, 0, 0), {});
			}
		}
		for (unsigned c = 0; c < gap; c++) {
			always.step();
			lazy.step();
			if (always.card.outputs() != lazy.card.outputs()) {
				fail("cycle %llu: a card skipped while idle_o was 1 has other outputs than one that "
				     "was not",
					as_ull(always.now()));
			}
		}
	}
	always.drain();
	lazy.drain();
	always.check_home();
	lazy.check_home();
	return figure("%.0f %% of %llu cycles skipped, outputs the same in each",
		100.0 * static_cast<double>(lazy.skipped) / static_cast<double>(lazy.now() - first),
		as_ull(lazy.now() - first));
}

std::string reset_under_traffic(const Options &options)
{
	Bench bench(options);
	const unsigned resets = 4;

	for (unsigned n = 0; n < resets; n++) {
		shuffle(bench);
		bench.run(300 + bench.random.below(600));
		bench.restart();
		bench.load_direct_routes();
		bench.run(20);
		bench.check_home();
	}
	soak_cycles(bench, 2, 1500);
	return figure("%u resets in full traffic, each leaves a card as new", resets);
}

} // namespace

std::vector<TestCase> soak_tests()
{
	return {
		{"soak", soak},
		{"registered-outputs", registered_outputs},
		{"idle-skip", idle_skip},
		{"reset-under-traffic", reset_under_traffic},
	};
}
