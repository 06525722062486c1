// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test_case.hpp"

namespace
{

// A third of the packets of every input has no route; the rest goes everywhere.
std::string illegal_routes(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	uint64_t dropped = 0;

	for (unsigned p = 0; p < s.ports; p++) {
		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).generator = [&bench, &s, p](unsigned vc) {
			unsigned cells = bench.random.between(1, s.packet_cells), out = bench.random.below(s.ports);

			if (bench.random.below(3) == 0) {
				return bench.illegal_packet(p, vc, cells);
			}
			return bench.packet(p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]), cells);
		};
	}
	bench.run(8000 * options.scale);
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	for (unsigned p = 0; p < s.ports; p++) {
		dropped += bench.source(p).counts().illegal;
		if (!bench.source(p).counts().illegal) {
			fail("bench: input %u sent no packet without a route", p);
		}
	}
	return figure(
		"%llu packets dropped and counted, %llu others delivered", as_ull(dropped), as_ull(bench.board.left()));
}

// One input sends nothing but packets without a route; a rotation of all others must not notice.
std::string illegal_routes_aside(const Options &options)
{
	const Shape &s = shape();
	const double wanted = 0.99;
	const uint64_t cycles = 4000;
	Bench bench(options);
	double worst = 1;
	const unsigned bad = 1;

	for (unsigned p = 0; p < s.ports; p++) {
		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).generator = [&bench, &s, p](unsigned vc) {
			unsigned out = (p + 1) % s.ports;

			return p == bad ? bench.illegal_packet(p, vc, bench.random.between(1, s.packet_cells))
					: bench.packet(
						  p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]), s.packet_cells);
		};
	}
	bench.run(1500);
	bench.clear_windows();
	bench.run(cycles);
	for (unsigned p = 0; p < s.ports; p++) {
		double rate = bench.rate(p);

		if (p == (bad + 1) % s.ports) {
			continue;
		}
		if (rate < wanted) {
			fail("input %u sends packets without a route, and output %u gets %.4f cells/cycle, wanted %.2f",
				bad, p, rate, wanted);
		}
		worst = std::min(worst, rate);
	}
	double dropped = bench.sent_rate(bad);

	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("%.4f cells/cycle dropped at one input, slowest output of the others %.4f (wanted %.2f)", dropped,
		worst, wanted);
}

// Every input sends single cells without a route on its first VC, and a rotation on the others. On an only VC each is
// half of the cells. The rotation goes on all the same.
std::string illegal_routes_beside(const Options &options)
{
	const Shape &s = shape();
	const double wanted = 0.1;
	const uint64_t cycles = 4000;
	Bench bench(options);
	double least = 1;

	for (unsigned p = 0; p < s.ports; p++) {
		const unsigned bad = static_cast<unsigned>(__builtin_ctz(bench.source_vcs(p)));
		const bool others = bench.source_vcs(p) != 1u << bad;

		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).generator = [&bench, &s, p, bad, others](unsigned vc) {
			unsigned out = (p + 1) % s.ports;

			return vc == bad && (others || bench.random.below(2))
				       ? bench.illegal_packet(p, vc, 1)
				       : bench.packet(p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]), 1);
		};
	}
	bench.run(1500);
	bench.clear_windows();
	bench.run(cycles);
	for (unsigned p = 0; p < s.ports; p++) {
		const double rate = bench.rate(p);

		if (rate < wanted) {
			fail("cells without a route come at each input, and output %u gets %.4f cells/cycle, wanted "
			     "%.2f",
				p, rate, wanted);
		}
		least = std::min(least, rate);
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure(
		"beside cells without a route the slowest output gets %.4f cells/cycle (wanted %.2f)", least, wanted);
}

// tlast early, late, or a TC that does not exist, among good packets.
std::string nic_framing(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const unsigned packets = 400 * options.scale;
	const bool has_missing_tc = s.tcs < 1u << s.header.tc_bits;
	std::vector<uint32_t> marked(s.ports);
	uint64_t wrong = 0;

	for (NicSource &source : bench.nic_sources) {
		source.gap_within = 0.1;
	}
	for (unsigned n = 0; n < packets; n++) {
		unsigned nic = s.links + bench.random.below(s.nics), tc = bench.random.below(s.tcs);
		unsigned out = bench.random.below(s.ports);
		Packet packet = bench.packet(nic, s.first_vc[tc], out, bench.random_out_vc(out, tc),
			bench.random.between(1, s.packet_cells));

		switch (bench.random.below(5)) {
		case 0:
			packet.beats = bench.random.between(1, packet.cells);
			break;
		case 1:
			packet.beats = packet.cells + bench.random.below(8);
			break;
		case 2:
			if (has_missing_tc) {
				packet.missing_tc = true;
				packet.beats = bench.random.between(1, s.packet_cells);
			}
			break;
		}
		wrong += !packet.framed();
		marked[out] += !packet.framed() && !packet.missing_tc && s.frame.layer;
		bench.send(packet);
	}
	bench.drain();
	bench.check_home();
	for (unsigned p = s.links; p < s.ports; p++) {
		if (bench.read(XT_REG_POISONED, p) != marked[p] || bench.sink(p).window.poisoned != marked[p]) {
			fail("POISONED[%u] is %u, %llu packets came marked, expected %u", p,
				bench.read(XT_REG_POISONED, p), as_ull(bench.sink(p).window.poisoned), marked[p]);
		}
	}
	return figure("%llu of %u packets misframed, each counted and, with a link layer, marked; all others whole",
		as_ull(wrong), packets);
}

} // namespace

std::vector<TestCase> error_tests()
{
	return {
		{"illegal-routes", illegal_routes},
		{"illegal-routes-aside", illegal_routes_aside},
		{"illegal-routes-beside", illegal_routes_beside},
		{"nic-framing", nic_framing},
	};
}
