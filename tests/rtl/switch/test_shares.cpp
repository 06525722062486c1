// SPDX-License-Identifier: Apache-2.0
//
// Weights of the traffic classes: the shares of an output follow weight + 1, nothing is left unused, and
// nobody starves.
#include <algorithm>
#include <cmath>

#include "test_case.hpp"

namespace
{

const double tolerance = 0.05; // of a share

using Weights = std::vector<unsigned>;

// As many as the profile has TCs.
std::vector<Weights> weight_sets()
{
	std::vector<Weights> sets = {{3, 0, 1, 7}, {0, 15, 0, 2}, {0, 1, 2, 3}, {6, 6, 6, 6}};

	for (Weights &set : sets) {
		set.resize(shape().tcs);
	}
	return sets;
}

void write_weights(Bench &bench, unsigned out_port, const Weights &weights)
{
	for (unsigned t = 0; t < shape().tcs; t++) {
		bench.write(XT_REG_TC_WEIGHT, weights[t], out_port, t);
	}
}

// Cells of each TC that came out at a port.
std::vector<uint64_t> by_tc(Bench &bench, unsigned port)
{
	const Shape &s = shape();
	std::vector<uint64_t> cells(s.tcs);

	for (unsigned p = 0; p < s.ports; p++) {
		for (unsigned vc = 0; vc < s.vcs; vc++) {
			cells[s.vc_tc[vc]] += bench.sink(port).window.from[p][vc];
		}
	}
	return cells;
}

// Cells per cycle of an output in a round: TCs with a share left take turns, and each has one queue of such a rate.
double rate_of_round(Weights weights, double one_queue)
{
	double cells = 0, cycles = 0, done = 0;

	std::sort(weights.begin(), weights.end());
	for (size_t k = 0; k < weights.size(); k++) {
		const double active = static_cast<double>(weights.size() - k), step = (weights[k] + 1 - done) * active;

		cells += step;
		cycles += step / std::min(1.0, active * one_queue);
		done = weights[k] + 1;
	}
	return cells / cycles;
}

// Every TC is backlogged for one output, each at an input of its own, or all at several inputs: one alone brings
// no more cells than the output takes, and then which TCs they are of decides.
std::string shares(const Options &options, bool together, unsigned cells)
{
	const Shape &s = shape();
	const unsigned inputs = std::min(4u, s.links - 1);
	double worst = 0, lowest = 1;

	// A VC that holds fewer packets runs dry in its turn, and then it is not its weight that decides. Of its
	// reserve 5 cells are kept.
	if ((s.reserved - 5) / cells + s.pool / cells < 4) {
		return figure("nothing to see: a VC holds less than 4 packets of %u cells", cells);
	}

	for (const Weights &weights : weight_sets()) {
		for (unsigned out_port : {s.links - 1, s.links}) {
			Bench bench(options);
			unsigned sum = 0;
			const uint64_t cycles = cells == 1 ? 20000 : 60000;

			write_weights(bench, out_port, weights);
			// Until there is a backlog of all.
			bench.write(XT_REG_QUIESCE, 1u << out_port);
			for (unsigned k = 0; k < (together ? inputs : 1) * s.tcs; k++) {
				unsigned t = k % s.tcs, p = together ? 1 + k / s.tcs : t;
				unsigned vc = s.first_vc[t];

				// No TC fills the buffer that it has in common with others.
				if (together) {
					bench.link_sources[p].most_per_vc = s.reserved + s.pool / s.tcs;
				}
				bench.source(p).generated_vcs |= 1u << vc;
				bench.source(p).generator = [&bench, &s, p, out_port, cells](unsigned v) {
					return bench.packet(p, v, out_port, s.is_nic(out_port) ? 0 : v, cells);
				};
				sum += k < s.tcs ? weights[t] + 1 : 0;
			}
			bench.run(2 * s.buffer_cells);
			bench.write(XT_REG_QUIESCE, 0);
			bench.run(3000);
			bench.clear_windows();
			bench.run(cycles);
			std::vector<uint64_t> got = by_tc(bench, out_port);
			const double reachable =
				together ? 1 : rate_of_round(weights, std::min(1.0, s.one_queue_rate(cells) / 0.99));
			double all = static_cast<double>(bench.sink(out_port).window.cells);

			for (unsigned t = 0; t < s.tcs; t++) {
				double wanted = (weights[t] + 1.0) / sum, share = static_cast<double>(got[t]) / all;

				worst = std::max(worst, std::abs(share / wanted - 1));
				if (std::abs(share / wanted - 1) > tolerance) {
					std::string list;

					for (unsigned u = 0; u < s.tcs; u++) {
						list += " " + std::to_string(weights[u]) + ":" +
							std::to_string(static_cast<double>(got[u]) / all);
					}
					fail("output %u, packets of %u cells%s: weight:share%s (%.4f cells/cycle)",
						out_port, cells, together ? ", several inputs" : "", list.c_str(),
						bench.rate(out_port));
				}
			}
			lowest = std::min(lowest, bench.rate(out_port) / reachable);
			bench.stop_generators();
			bench.drain();
			bench.check_home();
		}
	}
	if (lowest < 0.95) {
		fail("an output whose TCs are all backlogged moves %.4f of the cells that its queues can give", lowest);
	}
	return figure("shares within %.1f %% of weight + 1 (wanted %.0f %%), output moves %.4f of what its queues can "
		      "give, at least",
		100 * worst, 100 * tolerance, lowest);
}

// An output that one TC alone wants, and one where a TC of great weight uses a part of its share.
std::string unused_shares(const Options &options)
{
	const Shape &s = shape();
	double alone = 1, together = 1;
	const double wanted = s.one_vc_rate(s.packet_cells);
	double wanted_together = wanted;

	for (unsigned cells : {1u, s.packet_cells}) {
		// A change of the class costs as many cycles whatever the length, 6 % of packets of 32 cells. A queue
		// of single cells leaves every second cycle unused while it holds the others back.
		const double favoured = 0.3;
		const double limit = wanted - (cells == 1 ? favoured / 2 : std::min(0.15, 0.06 * 32 / cells));

		wanted_together = std::min(wanted_together, limit);
		for (unsigned t = 0; t < s.tcs; t++) {
			Bench bench(options);
			const unsigned out_port = 0;
			unsigned favoured_tc = (t + 1) % s.tcs;
			Weights weights(s.tcs);

			weights[favoured_tc] = 15;
			write_weights(bench, out_port, weights);
			for (unsigned p : {1u, 2u}) {
				bench.source(p).generated_vcs = 1u << s.first_vc[t];
				bench.source(p).generator = [&bench, p, cells](unsigned v) {
					return bench.packet(p, v, out_port, v, cells);
				};
			}
			bench.run(1000);
			bench.clear_windows();
			bench.run(4000);
			alone = std::min(alone, bench.rate(out_port));
			// A packet of the other one now and then.
			bench.source(3).generated_vcs = 1u << s.first_vc[favoured_tc];
			bench.source(3).gap_between = cells == 1 ? 1 - favoured : 0.97;
			bench.source(3).generator = [&bench, cells](unsigned v) {
				return bench.packet(3, v, out_port, v, cells);
			};
			bench.run(1000);
			bench.clear_windows();
			bench.run(8000);
			double both = bench.rate(out_port);

			together = std::min(together, both);
			if (both < limit) {
				fail("an output where the TC of greater weight wants little moves %.4f cells/cycle in "
				     "packets of %u cells",
					both, cells);
			}
			bench.stop_generators();
			bench.drain();
			bench.check_home();
		}
	}
	if (alone < wanted) {
		fail("an output that only one TC wants moves %.4f cells/cycle", alone);
	}
	return figure("one TC alone %.4f cells/cycle (wanted %.2f), beside one that does not use its share %.4f "
		      "(wanted %.2f)",
		alone, wanted, together, wanted_together);
}

// All TCs but one, of great weight, saturate an output; a packet of the last one now and then.
std::string no_starvation(const Options &options)
{
	const Shape &s = shape();
	uint64_t worst = 0, bound = 0;

	for (unsigned rare = 0; rare < s.tcs; rare++) {
		Bench bench(options);
		const unsigned out_port = 0;
		Weights weights(s.tcs, 5);
		unsigned n = 1;

		weights[rare] = 0;
		weights[(rare + 1) % s.tcs] = 15;
		write_weights(bench, out_port, weights);
		bound = 0;
		for (unsigned t = 0; t < s.tcs; t++) {
			if (t == rare) {
				continue;
			}
			unsigned p = n++;

			bound += (weights[t] + 2) * s.packet_cells;
			bench.source(p).generated_vcs = 1u << s.first_vc[t];
			bench.source(p).generator = [&bench, &s, p](unsigned v) {
				return bench.packet(p, v, out_port, v, s.packet_cells);
			};
		}
		// Those that had been decided on, and the way through the card.
		bound += 2 * s.packet_cells + 2 * s.head_latency();
		bench.run(3000);
		for (unsigned k = 0; k < 60; k++) {
			unsigned vc = s.first_vc[rare], p = s.links - 1;

			bench.run(bench.random.below(40 * s.packet_cells));
			bench.clear_windows();
			bench.send(bench.packet(p, vc, out_port, vc, bench.random.between(1, s.packet_cells)));
			uint64_t start = bench.now();

			bench.run_until([&] { return bench.sink(out_port).window.from[p][vc] != 0; }, 20 * bound,
				"the turn of a TC");
			uint64_t took = bench.now() - start;

			worst = std::max(worst, took);
			if (took > bound) {
				fail("cycle %llu: a packet of TC %u waited %llu cycles, at most %llu are fair",
					as_ull(bench.now()), rare, as_ull(took), as_ull(bound));
			}
		}
		bench.stop_generators();
		bench.drain();
		bench.check_home();
	}
	return figure("a packet of a TC of the least weight waits %llu cycles at most (bound %llu)", as_ull(worst),
		as_ull(bound));
}

} // namespace

std::vector<TestCase> share_tests()
{
	if (!shape().has(XT_FEATURE_QOS)) {
		return {};
	}
	return {
		{"shares-longest", [](const Options &o) { return shares(o, false, shape().packet_cells); }},
		{"shares-one-cell", [](const Options &o) { return shares(o, false, 1); }},
		{"shares-together-longest", [](const Options &o) { return shares(o, true, shape().packet_cells); }},
		{"shares-together-one-cell", [](const Options &o) { return shares(o, true, 1); }},
		{"shares-unused", unused_shares},
		{"shares-no-starvation", no_starvation},
	};
}
