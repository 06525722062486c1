// SPDX-License-Identifier: Apache-2.0
//
// Every input saturated, every output ready: what the crossbar moves.
#include <algorithm>

#include "test_case.hpp"

namespace
{

using Lengths = unsigned (*)(Random &);

unsigned longest(Random &)
{
	return shape().packet_cells;
}

unsigned one(Random &)
{
	return 1;
}

unsigned mixed(Random &random)
{
	return random.between(1, shape().packet_cells);
}

// VC 0 of TC 0 only, at every input and output.
uint32_t single_vc(const Bench &, unsigned)
{
	return 1;
}

uint32_t all_vcs(const Bench &bench, unsigned port)
{
	return bench.source_vcs(port);
}

struct Load {
	Lengths lengths;
	uint32_t (*vcs)(const Bench &, unsigned port);
	bool spread_out_vcs; // else the upper VC of the TC
};

// `choose` gives the output of the next packet of an input.
template <typename Choose> void saturate(Bench &bench, const Load &load, Choose choose)
{
	for (unsigned p = 0; p < shape().ports; p++) {
		bench.source(p).generated_vcs = load.vcs(bench, p);
		bench.source(p).generator = [&bench, p, load, choose](unsigned vc) {
			const Shape &s = shape();
			unsigned tc = s.vc_tc[vc], out = choose(p);
			unsigned out_vc = load.spread_out_vcs ? bench.random_out_vc(out, tc)
					  : s.is_nic(out)     ? 0
							      : s.first_vc[tc];

			return bench.packet(p, vc, out, out_vc, load.lengths(bench.random));
		};
	}
}

struct Rate {
	double worst = 1e9, mean = 0; // the worst by what is wanted there
	unsigned worst_port = 0;
};

// Cells per cycle that are wanted of an output.
using Wanted = double (*)(unsigned port);

Rate measure(Bench &bench, uint64_t warm_up, uint64_t cycles, Wanted wanted)
{
	const Shape &s = shape();
	Rate rate;

	bench.run(warm_up);
	bench.clear_windows();
	bench.run(cycles);
	for (unsigned p = 0; p < s.ports; p++) {
		double r = bench.rate(p);

		rate.mean += r / s.ports;
		if (p == 0 || r - wanted(p) < rate.worst - wanted(rate.worst_port)) {
			rate.worst = r;
			rate.worst_port = p;
		}
	}
	return rate;
}

// The rotations by every distance, then random permutations, without a pause between them. What one leaves
// in the buffers, up to a whole buffer at an input, takes turns with the packets of the next and would be
// counted as its loss: hence the long warm-up, until nothing is left. Where nothing is shared each VC fills its part.
// Each of these packets may wait until 128 have passed.
std::string permutations(const Options &options, const Load &load, Wanted wanted)
{
	const Shape &s = shape();
	Bench bench(options);
	const unsigned random_ones = 5 * options.scale;
	Rate worst;
	double mean = 0;
	unsigned count = 0;

	for (unsigned n = 0; n < s.ports + random_ones; n++) {
		std::vector<unsigned> out(s.ports);
		bool legal = true;

		for (unsigned p = 0; p < s.ports; p++) {
			out[p] = (p + n) % s.ports;
		}
		if (n >= s.ports) {
			for (unsigned p = s.ports; p > 1; p--) {
				std::swap(out[p - 1], out[bench.random.below(p)]);
			}
		}
		for (unsigned p = 0; p < s.ports; p++) {
			legal = legal && !s.turns_back(p, out[p]);
		}
		if (!legal) {
			continue;
		}
		for (unsigned p = 0; p < s.ports; p++) {
			bench.source(p).drop_queues();
		}
		saturate(bench, load, [out](unsigned port) { return out[port]; });
		for (unsigned waited = 0; waited == 0 || bench.board.astray(out) != 0; waited++) {
			if (waited > 200) {
				fail("packets of a permutation before are left: %s", bench.board.waiting().c_str());
			}
			bench.run(6 * s.buffer_cells);
		}
		Rate rate = measure(bench, 6 * s.buffer_cells, 4000, wanted);

		mean += rate.mean;
		count++;
		if (count == 1 || rate.worst - wanted(rate.worst_port) < worst.worst - wanted(worst.worst_port)) {
			worst = rate;
		}
		if (rate.worst < wanted(rate.worst_port)) {
			std::string map;

			for (unsigned p = 0; p < s.ports; p++) {
				map += (p ? " " : "") + std::to_string(out[p]);
			}
			fail("permutation %s: output %u moves %.4f cells/cycle, wanted %.2f (mean of the outputs %.4f)",
				map.c_str(), rate.worst_port, rate.worst, wanted(rate.worst_port), rate.mean);
		}
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("%u permutations, slowest output %.4f cells/cycle, mean %.4f (wanted %.2f)", count, worst.worst,
		mean / count, wanted(worst.worst_port));
}

double wanted_longest(unsigned)
{
	return 0.99;
}

double wanted_longest_single(unsigned)
{
	return shape().one_vc_rate(shape().packet_cells);
}

// A queue waits in every second cycle. An input that has two for an output loses a cycle whenever one of them is empty.
double wanted_one(unsigned port)
{
	const Shape &s = shape();

	return s.queues(port) > 2 ? 0.95 : s.queues(port) > 1 ? 0.90 : s.one_queue_rate(1);
}

double wanted_one_single(unsigned)
{
	return shape().one_vc_rate(1);
}

// Behind a packet of one cell a queue of packets of different lengths pauses for a cycle, as the next one's length
// is not known in time: with a quarter of such packets, of 2.5 cells on average, that leaves 0.91.
double wanted_mixed(unsigned)
{
	return shape().packet_cells >= 8 ? 0.95 : 0.88;
}

// Single cells: 0.90 if an input buffer holds four for each of its queues, and 0.85 if it holds less.
double wanted_single()
{
	const Shape &s = shape();

	return s.buffer_cells >= 4 * (s.links * s.vcs + s.nics * s.tcs) ? 0.90 : 0.85;
}

// Of uniform traffic 0.90 is asked if an input buffer holds two of the longest packets per output, as in
// the full-size card, and 0.80 of a smaller one. Where nothing is shared a VC's part must hold them.
double wanted_uniform()
{
	const Shape &s = shape();

	return (s.pool ? s.buffer_cells : s.reserved) >= 2 * s.ports * s.packet_cells ? 0.90 : 0.80;
}

std::string uniform(const Options &options, const Load &load, double wanted)
{
	const Shape &s = shape();
	Bench bench(options);

	// Without U-turns no input sends to itself, so that every output gets as much.
	saturate(bench, load, [&bench, &s](unsigned p) {
		return s.profile->no_u_turns ? (p + 1 + bench.random.below(s.ports - 1)) % s.ports
					     : bench.random.below(s.ports);
	});
	Rate rate = measure(bench, 5000, 25000 * options.scale, wanted_longest);

	if (rate.mean < wanted) {
		fail("%.4f cells/output/cycle, wanted %.2f (slowest output %u: %.4f)", rate.mean, wanted,
			rate.worst_port, rate.worst);
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("%.4f cells/output/cycle, slowest output %.4f%s", rate.mean, rate.worst,
		wanted > 0 ? (" (wanted " + std::to_string(wanted).substr(0, 4) + ")").c_str() : " (for information)");
}

const Load longest_load = {longest, all_vcs, true};
const Load one_load = {one, all_vcs, true};
const Load mixed_load = {mixed, all_vcs, true};
const Load longest_single = {longest, single_vc, false};
const Load one_single = {one, single_vc, false};
const Load mixed_single = {mixed, single_vc, false};

} // namespace

std::vector<TestCase> throughput_tests()
{
	return {
		{"permutation-longest", [](const Options &o) { return permutations(o, longest_load, wanted_longest); }},
		{"permutation-longest-single-vc",
			[](const Options &o) { return permutations(o, longest_single, wanted_longest_single); }},
		{"permutation-one-cell", [](const Options &o) { return permutations(o, one_load, wanted_one); }},
		{"permutation-one-cell-single-vc",
			[](const Options &o) { return permutations(o, one_single, wanted_one_single); }},
		{"permutation-mixed", [](const Options &o) { return permutations(o, mixed_load, wanted_mixed); }},
		{"uniform-longest", [](const Options &o) { return uniform(o, longest_load, wanted_uniform()); }},
		{"uniform-one-cell", [](const Options &o) { return uniform(o, one_load, wanted_single()); }},
		{"uniform-mixed", [](const Options &o) { return uniform(o, mixed_load, wanted_uniform()); }},
		{"uniform-longest-single-vc", [](const Options &o) { return uniform(o, longest_single, 0); }},
		{"uniform-one-cell-single-vc", [](const Options &o) { return uniform(o, one_single, 0); }},
		{"uniform-mixed-single-vc", [](const Options &o) { return uniform(o, mixed_single, 0); }},
	};
}
