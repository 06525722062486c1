// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test_case.hpp"

namespace
{

const double tolerance = 0.05; // of the equal share

// Largest deviation from the equal share, relative to it; a failure if above the tolerance.
double check_shares(const std::vector<uint64_t> &shares, const char *what, unsigned out_port)
{
	uint64_t sum = 0;
	double worst = 0;

	for (uint64_t share : shares) {
		sum += share;
	}
	for (size_t i = 0; i < shares.size(); i++) {
		double equal = static_cast<double>(sum) / static_cast<double>(shares.size());
		double off = equal > 0 ? std::abs(static_cast<double>(shares[i]) - equal) / equal : 1;

		if (off > tolerance) {
			std::string list;

			for (uint64_t share : shares) {
				list += " " + std::to_string(share);
			}
			fail("output %u: %s share unequally: cells%s", out_port, what, list.c_str());
		}
		worst = std::max(worst, off);
	}
	return worst;
}

// Sets of inputs, saturated, all to one output.
std::string inputs(const Options &options, unsigned cells)
{
	const Shape &s = shape();
	double worst = 0, lowest_rate = 1;
	unsigned sets = 0;

	for (unsigned out_port : {0u, s.links - 1, s.links}) {
		Bench bench(options);

		for (unsigned n = 0; n < 4; n++) {
			const uint64_t cycles = 300 * s.ports * (cells < 8 ? 8 : cells) / 4;
			const uint32_t all =
				((1u << s.ports) - 1) & ~(s.turns_back(out_port, out_port) ? 1u << out_port : 0);
			// All, then random sets of at least two.
			uint32_t set = n == 0 ? all : 0;
			std::vector<uint64_t> shares;

			while (set == 0 || (set & (set - 1)) == 0) {
				set = bench.random.below(1u << s.ports) & all;
			}
			for (unsigned p = 0; p < s.ports; p++) {
				bench.source(p).generator = nullptr;
				bench.source(p).drop_queues();
			}
			bench.drain();
			for (unsigned p = 0; p < s.ports; p++) {
				if (set >> p & 1) {
					bench.source(p).generated_vcs = bench.source_vcs(p);
					bench.source(p).generator = [&bench, &s, p, out_port, cells](unsigned vc) {
						return bench.packet(p, vc, out_port,
							bench.random_out_vc(out_port, s.vc_tc[vc]), cells);
					};
				}
			}
			bench.run(2000);
			bench.clear_windows();
			bench.run(cycles);
			for (unsigned p = 0; p < s.ports; p++) {
				if (set >> p & 1) {
					shares.push_back(bench.sink(out_port).window.from_port[p]);
				}
			}
			worst = std::max(worst, check_shares(shares, "inputs", out_port));
			lowest_rate = std::min(lowest_rate, bench.rate(out_port));
			sets++;
		}
		bench.stop_generators();
		bench.drain();
		bench.check_home();
	}
	return figure(
		"%u sets of inputs to one output: shares within %.1f %% of equal (wanted %.0f %%), output moves %.4f "
		"cells/cycle",
		sets, 100 * worst, 100 * tolerance, lowest_rate);
}

// Two inputs keep all their VCs backlogged for one output.
std::string classes(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const unsigned out_port = 0;
	double worst_tc = 0, worst_vc = 0;
	std::vector<uint64_t> by_tc(s.tcs);

	// A NIC has one VC per TC.
	for (unsigned p = 1; p < std::min(3u, s.links); p++) {
		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).generator = [&bench, &s, p](unsigned vc) {
			return bench.packet(p, vc, out_port, vc, s.packet_cells);
		};
	}
	bench.run(6000);
	bench.clear_windows();
	bench.run(1000 * s.packet_cells);
	for (unsigned t = 0; t < s.tcs; t++) {
		std::vector<uint64_t> by_vc;

		for (unsigned v = 0; v < s.deterministic[t]; v++) {
			by_vc.push_back(bench.sink(out_port).window.out_vc[s.first_vc[t] + v]);
			by_tc[t] += by_vc.back();
		}
		worst_vc = std::max(worst_vc, check_shares(by_vc, "VCs of one TC", out_port));
	}
	worst_tc = check_shares(by_tc, "TCs", out_port);
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("%u TCs within %.1f %% of equal, VCs of a TC within %.1f %% (wanted %.0f %%)", s.tcs,
		100 * worst_tc, 100 * worst_vc, 100 * tolerance);
}

// One input holds single cells for blocked outputs, three if there are; when they are released together it must serve
// them in turn.
std::string outputs(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const unsigned count = std::min(3u, s.links), each = 12, in_port = s.links > count ? s.links - 1 : s.links;
	uint64_t served = 0, lowest = each, highest = 0;

	for (unsigned out = 0; out < count; out++) {
		bench.link_sinks[out].withheld = ~0u;
		for (size_t stuck = bench.board.inside(); bench.board.inside() == stuck;) {
			bench.send(bench.packet(s.turns_back(0, out) ? 1 : 0, 0, out, 0, 1));
			bench.run(16);
		}
	}
	for (unsigned n = 0; n < each; n++) {
		for (unsigned out = 0; out < count; out++) {
			bench.send(bench.packet(in_port, 0, out, 0, 1));
		}
	}
	bench.run(count * each + 50);
	bench.clear_windows();
	for (unsigned out = 0; out < count; out++) {
		bench.link_sinks[out].withheld = 0;
	}
	while (served < count * each / 2) {
		bench.step();
		served = 0;
		for (unsigned out = 0; out < count; out++) {
			served += bench.sink(out).window.from_port[in_port];
		}
	}
	for (unsigned out = 0; out < count; out++) {
		lowest = std::min(lowest, bench.sink(out).window.from_port[in_port]);
		highest = std::max(highest, bench.sink(out).window.from_port[in_port]);
	}
	if (highest - lowest > 2) {
		fail("input %u served one of %u waiting outputs %llu times while another was served %llu times",
			in_port, count, as_ull(highest), as_ull(lowest));
	}
	bench.drain();
	bench.check_home();
	return figure("of %llu cells, %llu to %llu for each of %u outputs", as_ull(served), as_ull(lowest),
		as_ull(highest), count);
}

// All inputs but one saturate an output with the longest packets; the last one sends a cell now and then.
std::string rare_sender(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const unsigned out_port = s.links > 2 ? 1 : 0, rare = s.links - 1;
	// Once past every other input, and the packet that is under way.
	const uint64_t bound = s.ports * s.packet_cells + 20;
	uint64_t worst = 0, sum = 0;
	const unsigned packets = 40;

	for (unsigned p = 0; p < s.ports; p++) {
		if (p == rare || s.turns_back(p, out_port)) {
			continue;
		}
		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).generator = [&bench, &s, p, out_port](unsigned vc) {
			return bench.packet(
				p, vc, out_port, bench.random_out_vc(out_port, s.vc_tc[vc]), s.packet_cells);
		};
	}
	bench.run(3000);
	for (unsigned n = 0; n < packets; n++) {
		unsigned tc = bench.random.below(s.tcs), vc = s.first_vc[tc];
		uint64_t start, cycles;

		bench.run(bench.random.below(3 * s.packet_cells));
		bench.clear_windows();
		bench.send(bench.packet(rare, vc, out_port, vc, 1));
		start = bench.now();
		bench.run_until([&] { return bench.sink(out_port).window.from_port[rare] == 1; }, 20 * bound,
			"the rare sender's turn");
		cycles = bench.now() - start;
		if (cycles > bound) {
			fail("cycle %llu: a cell of a rare sender waited %llu cycles, at most %llu are fair",
				as_ull(bench.now()), as_ull(cycles), as_ull(bound));
		}
		worst = std::max(worst, cycles);
		sum += cycles;
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("a cell among saturating inputs waits %llu cycles on average, %llu at most (bound %llu)",
		as_ull(sum / packets), as_ull(worst), as_ull(bound));
}

// Two inputs stream packets of one length to an output each, without a gap and seldom in phase. So whenever the first
// input is free, the second one's output is not. A packet of the first input for that output has its turn all the same.
std::string streams_in_step(const Options &options)
{
	const Shape &s = shape();
	const unsigned trials = 12 * options.scale, from = 0, other = 1, to = 1, other_to = 2;
	// Of longer packets that pass, as the scheduler of an input says, and past every other output before and after.
	const uint64_t bound = (128 + 4 * s.ports) * (s.packet_cells + 1);
	uint64_t worst = 0;

	if (s.ports < 3) {
		return figure("nothing to see: %u ports", s.ports);
	}
	for (unsigned n = 0; n < trials; n++) {
		Bench bench(options);
		const unsigned late_vc = s.first_vc[s.tcs - 1];

		bench.random = Random(options.seed * 1000 + n);
		for (unsigned p : {from, other}) {
			bench.source(p).generated_vcs = bench.source_vcs(p) & ~(p == from ? 1u << late_vc : 0);
			bench.source(p).generator = [&bench, &s, p, late_vc](unsigned vc) {
				const unsigned out = p == from && vc != late_vc ? to : other_to;

				return bench.packet(p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]), s.packet_cells);
			};
		}
		// Until there is a backlog. Then they begin one after the other.
		bench.write(XT_REG_QUIESCE, 1u << to | 1u << other_to);
		bench.run(2 * s.buffer_cells);
		bench.write(XT_REG_QUIESCE, 1u << other_to);
		bench.run(bench.random.between(1, s.packet_cells));
		bench.write(XT_REG_QUIESCE, 0);
		bench.run(20 * s.packet_cells);
		bench.source(from).generated_vcs |= 1u << late_vc;
		bench.clear_windows();
		uint64_t start = bench.now();

		bench.run_until([&] { return bench.sink(other_to).window.from_port[from] != 0; }, 4 * bound,
			"a packet beside streams in step");
		worst = std::max(worst, bench.now() - start);
		if (bench.now() - start > bound) {
			fail("trial %u: a packet beside streams in step waited %llu cycles, at most %llu are allowed",
				n, as_ull(bench.now() - start), as_ull(bound));
		}
		bench.stop_generators();
		bench.drain();
		bench.check_home();
	}
	return figure(
		"a packet beside streams in step waits %llu cycles at most (bound %llu)", as_ull(worst), as_ull(bound));
}

// Links saturate an output with the longest packets. A cell from the NIC gives way for WAIT cycles, and then waits like
// that of a rare sender.
std::string injection_bound(const Options &options)
{
	const Shape &s = shape();
	const unsigned out_port = 1, nic = s.links;
	std::string found;

	for (unsigned wait : {0u, 150u, 600u}) {
		Bench bench(options);
		const uint64_t bound = wait + s.ports * s.packet_cells + 20;
		uint64_t worst = 0;

		bench.write(XT_REG_INJECTION, wait);
		for (unsigned p = 0; p < s.links; p++) {
			if (s.turns_back(p, out_port)) {
				continue;
			}
			bench.source(p).generated_vcs = bench.source_vcs(p);
			bench.source(p).generator = [&bench, &s, p](unsigned vc) {
				return bench.packet(
					p, vc, out_port, bench.random_out_vc(out_port, s.vc_tc[vc]), s.packet_cells);
			};
		}
		bench.run(3000);
		for (unsigned n = 0; n < 20; n++) {
			bench.run(bench.random.below(3 * s.packet_cells));
			bench.clear_windows();
			const unsigned vc = s.first_vc[bench.random.below(s.tcs)];

			bench.send(bench.packet(nic, vc, out_port, bench.random_out_vc(out_port, s.vc_tc[vc]), 1));
			uint64_t start = bench.now();

			bench.run_until([&] { return bench.sink(out_port).window.from_port[nic] == 1; }, 20 * bound,
				"the turn of the NIC");
			worst = std::max(worst, bench.now() - start);
		}
		if (worst > bound || worst < wait) {
			fail("WAIT %u: a cell from the NIC waited %llu cycles at most, not %u to %llu", wait,
				as_ull(worst), wait, as_ull(bound));
		}
		bench.stop_generators();
		bench.drain();
		bench.check_home();
		found += (found.empty() ? "" : ", ") + std::to_string(worst) + " of " + std::to_string(bound);
	}
	return figure(
		"a cell from the NIC among saturating links waits at most, of the bound: %s cycles", found.c_str());
}

// Links saturate an output with the longest packets. A NIC has a cell for it, and one for another output every few
// cycles: each is matched, and lets the NIC give way anew. The first cell has its turn all the same.
std::string injection_beside_others(const Options &options)
{
	const Shape &s = shape();
	const unsigned out_port = 1, other = 0, nic = s.links, vc = s.first_vc[0], every = 20;
	// Of cells that pass, as the scheduler of an input says, and past every other output before.
	const uint64_t bound = (128 + 4 * s.ports) * every + s.ports * s.packet_cells;
	Bench bench(options);

	bench.write(XT_REG_INJECTION, 64);
	for (unsigned p = 0; p < s.links; p++) {
		if (s.turns_back(p, out_port)) {
			continue;
		}
		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).generator = [&bench, &s, p](unsigned v) {
			return bench.packet(p, v, out_port, bench.random_out_vc(out_port, s.vc_tc[v]), s.packet_cells);
		};
	}
	bench.run(3000);
	bench.clear_windows();
	bench.send(bench.packet(nic, vc, out_port, vc, 1));
	uint64_t start = bench.now();

	while (bench.sink(out_port).window.from_port[nic] == 0) {
		if (bench.now() - start > bound) {
			fail("a cell from the NIC waits %llu cycles beside cells to another output, at most %llu are "
			     "allowed",
				as_ull(bench.now() - start), as_ull(bound));
		}
		bench.send(bench.packet(nic, vc, other, vc, 1));
		bench.run(every);
	}
	uint64_t waited = bench.now() - start;

	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("a cell from the NIC beside cells to another output waits %llu cycles (bound %llu)",
		as_ull(waited), as_ull(bound));
}

// Two inputs saturate an output on a VC of a traffic class each. Credits of one VC are slow, and the first input takes
// each of them: its turn comes just when they do. A packet of the second input on that VC has its turn all the same.
std::string turn_without_credit(const Options &options)
{
	const Shape &s = shape();
	const unsigned out_port = 0, first = 1, second = 2, trials = 12 * options.scale;
	const unsigned scarce_vc = s.first_vc[0], other_vc = s.first_vc[s.tcs - 1];
	// The pointers stay in one of 128 matchings, and the second input has one of two.
	const uint64_t bound = 4 * 128 * (s.packet_cells + 1);
	uint64_t worst = 0;

	if (s.links < 3 || s.tcs < 2) {
		return figure("nothing to see: %u links, %u traffic classes", s.links, s.tcs);
	}
	for (unsigned n = 0; n < trials; n++) {
		Bench bench(options);
		const unsigned delay = bench.random.between(s.reserved + s.pool, 2 * (s.reserved + s.pool));

		bench.link_sinks[out_port].return_delay = delay;
		for (unsigned p : {first, second}) {
			bench.source(p).generated_vcs = 1u << (p == first ? scarce_vc : other_vc);
			bench.source(p).generator = [&bench, &s, p](unsigned vc) {
				return bench.packet(p, vc, out_port, vc, s.packet_cells);
			};
		}
		bench.run(4 * delay + bench.random.below(4 * s.packet_cells));
		bench.clear_windows();
		uint64_t start = bench.now();

		bench.send(bench.packet(second, scarce_vc, out_port, scarce_vc, s.packet_cells));
		bench.run_until([&] { return bench.sink(out_port).window.from[second][scarce_vc] != 0; }, bound,
			"a packet whose turn comes without credit");
		worst = std::max(worst, bench.now() - start);
		bench.stop_generators();
		bench.drain();
		bench.check_home();
	}
	return figure("a packet whose turn comes without credit waits %llu cycles at most (bound %llu)", as_ull(worst),
		as_ull(bound));
}

} // namespace

std::vector<TestCase> fairness_tests()
{
	return {
		{"fair-inputs-longest", [](const Options &o) { return inputs(o, shape().packet_cells); }},
		{"fair-inputs-one-cell", [](const Options &o) { return inputs(o, 1); }},
		{"fair-outputs", outputs},
		{"fair-classes", classes},
		{"rare-sender", rare_sender},
		{"injection-bound", injection_bound},
		{"injection-beside-others", injection_beside_others},
		{"streams-in-step", streams_in_step},
		{"turn-without-credit", turn_without_credit},
	};
}
