// SPDX-License-Identifier: Apache-2.0
//
// A blocked output never stops a packet to another output of the same input and VC; a blocked VC never
// stops another VC. A card with one FIFO per input fails these.
#include <algorithm>

#include "test_case.hpp"

namespace
{

const uint32_t every_vc = ~0u;

// Fills the buffer behind a blocked output with single cells of `vc`, until one does not come out any
// more; then `packets` packets of the longest kind are stuck behind it in the card.
void stick(Bench &bench, unsigned in_port, unsigned vc, unsigned out_port, unsigned packets)
{
	const Shape &s = shape();
	const unsigned out_vc = s.is_nic(out_port) ? 0 : vc;
	unsigned sent = 0;

	for (; bench.board.inside() == 0; sent++) {
		if (sent > s.buffer_cells) {
			fail("cycle %llu: output %u was to be blocked, but took %u cells", as_ull(bench.now()),
				out_port, sent);
		}
		bench.send(bench.packet(in_port, vc, out_port, out_vc, 1));
		bench.run(16);
	}
	for (unsigned n = 0; n < packets; n++) {
		bench.send(bench.packet(in_port, vc, out_port, out_vc, s.packet_cells));
	}
	bench.run(packets * (s.packet_cells + 2) + 100);
	if (bench.board.inside() != packets + 1 || bench.source(in_port).queued()) {
		fail("cycle %llu: %u packets were to be stuck for output %u, but %zu are", as_ull(bench.now()),
			packets + 1, out_port, bench.board.inside());
	}
}

// What may be stuck on one VC of an input and leave enough of its buffer for a full-rate flow on the
// same VC: two packets and the round trip of a credit.
unsigned stuck_packets()
{
	const Shape &s = shape();
	unsigned kept = 2 * s.packet_cells + 20 + 2 * (s.head_latency() - 5), all = s.reserved + s.pool;

	return all > kept + s.packet_cells ? (all - kept) / s.packet_cells : 1;
}

void block(Bench &bench, unsigned port)
{
	if (shape().is_nic(port)) {
		bench.nic_sinks[port - shape().links].stall = 1;
	} else {
		bench.link_sinks[port].withheld = every_vc;
	}
}

void release(Bench &bench, unsigned port)
{
	if (shape().is_nic(port)) {
		bench.nic_sinks[port - shape().links].stall = 0;
	} else {
		bench.link_sinks[port].withheld = 0;
	}
}

double flow(Bench &bench, unsigned out_port, uint64_t warm_up, uint64_t cycles)
{
	bench.run(warm_up);
	bench.clear_windows();
	bench.run(cycles);
	return bench.rate(out_port);
}

// One input, one VC: packets stuck for output A, then a stream to each other output in turn.
std::string blocked_output(const Options &options, unsigned cells)
{
	const Shape &s = shape();
	const double wanted =
		std::min(s.one_vc_rate(cells), s.rate_with_room(1 + stuck_packets() * s.packet_cells + cells));
	double worst = 1;
	unsigned flows = 0;

	for (unsigned a = 0; a < s.ports; a++) {
		Bench bench(options);
		unsigned in_port =
			s.is_nic(a) ? bench.random.below(s.links) : (a + 1 + bench.random.below(s.links - 1)) % s.links;
		unsigned tc = bench.random.below(s.tcs);
		unsigned vc = s.first_vc[tc] + bench.random.below(s.deterministic[tc]);

		block(bench, a);
		stick(bench, in_port, vc, a, stuck_packets());
		for (unsigned b = 0; b < s.ports; b++) {
			if (b == a || s.turns_back(in_port, b)) {
				continue;
			}
			bench.source(in_port).generated_vcs = 1u << vc;
			bench.source(in_port).generator = [&bench, &s, b, in_port, cells](unsigned v) {
				return bench.packet(in_port, v, b, s.is_nic(b) ? 0 : v, cells);
			};
			double rate = flow(bench, b, 300, 1200);

			if (rate < wanted) {
				fail("input %u VC %u: %u packets stuck for output %u, and output %u gets %.4f "
				     "cells/cycle, wanted %.2f",
					in_port, vc, stuck_packets(), a, b, rate, wanted);
			}
			worst = std::min(worst, rate);
			flows++;
			bench.source(in_port).generator = nullptr;
			bench.source(in_port).drop_queues();
		}
		release(bench, a);
		bench.drain();
		bench.check_home();
	}
	return figure("%u flows of %u-cell packets past %u stuck packets of the same VC, slowest %.4f cells/cycle "
		      "(wanted %.2f)",
		flows, cells, stuck_packets(), worst, wanted);
}

// Every input holds packets for output A; the other outputs are fed by a rotation at full load.
std::string blocked_output_everywhere(const Options &options)
{
	const Shape &s = shape();
	const double wanted = 0.99;
	double worst = 1;

	for (unsigned a : {0u, s.links - 1, s.links}) {
		Bench bench(options);

		block(bench, a);
		const unsigned first = s.turns_back(0, a) ? 1 : 0;

		stick(bench, first, s.first_vc[0], a, 1);
		for (unsigned p = 0; p < s.ports; p++) {
			unsigned vc = s.first_vc[0];

			if (p != first && !s.turns_back(p, a)) {
				bench.send(bench.packet(p, vc, a, s.is_nic(a) ? 0 : vc, s.packet_cells));
			}
		}
		bench.run(2 * s.packet_cells + 100);
		for (unsigned p = 0; p < s.ports; p++) {
			unsigned out = (p + 1) % s.ports;

			if (out == a) {
				continue;
			}
			bench.source(p).generated_vcs = bench.source_vcs(p);
			bench.source(p).generator = [&bench, &s, p, out](unsigned vc) {
				return bench.packet(p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]), s.packet_cells);
			};
		}
		flow(bench, 0, 1500, 4000);
		for (unsigned p = 0; p < s.ports; p++) {
			double rate = bench.rate(p);

			if (p == a) {
				continue;
			}
			if (rate < wanted) {
				fail("output %u blocked, one packet for it at every input: output %u gets %.4f "
				     "cells/cycle, "
				     "wanted %.2f",
					a, p, rate, wanted);
			}
			worst = std::min(worst, rate);
		}
		bench.stop_generators();
		release(bench, a);
		bench.drain();
		bench.check_home();
	}
	return figure("slowest of the other outputs %.4f cells/cycle (wanted %.2f)", worst, wanted);
}

// Credits of one VC of an output are kept back. `saturated`: its packets also fill all that they may of
// the input buffer, so that only the reserves of the other VCs are left on both sides.
std::string blocked_vc(const Options &options, bool saturated)
{
	const Shape &s = shape();
	double worst_together = 1, worst_alone = 1;
	// A VC alone on its reserve waits for its credits between two packets.
	const double wanted_alone = 0.35, wanted_together = s.vcs > 2 ? 0.95 : wanted_alone;

	for (unsigned blocked = 0; blocked < s.vcs; blocked++) {
		Bench bench(options);
		unsigned in_port = blocked % s.links,
			 out_port = (blocked + 1 + bench.random.below(s.links - 1)) % s.links;

		if (!s.is_deterministic(blocked)) {
			continue;
		}
		bench.link_sinks[out_port].withheld = 1u << blocked;
		stick(bench, in_port, blocked, out_port, 1);
		if (saturated) {
			for (unsigned n = 0; n < s.buffer_cells; n++) {
				bench.send(bench.packet(in_port, blocked, out_port, blocked, 1));
			}
			bench.run(s.buffer_cells + 100);
			if (bench.link_sources[in_port].account().room(blocked) != 0) {
				fail("bench: input %u has room left for the blocked VC", in_port);
			}
		}
		uint32_t others = bench.source_vcs(in_port) & ~(1u << blocked);
		auto generator = [&bench, &s, in_port, out_port](unsigned vc) {
			return bench.packet(in_port, vc, out_port, vc, s.packet_cells);
		};

		for (unsigned vc = 0; vc < s.vcs; vc++) {
			if (others >> vc & 1) {
				bench.source(in_port).generated_vcs = 1u << vc;
				bench.source(in_port).generator = generator;
				double rate = flow(bench, out_port, 300, 1500);

				if (rate < wanted_alone) {
					fail("input %u, output %u: VC %u blocked, and VC %u alone gets %.4f "
					     "cells/cycle, wanted %.2f",
						in_port, out_port, blocked, vc, rate, wanted_alone);
				}
				worst_alone = std::min(worst_alone, rate);
			}
		}
		bench.source(in_port).generated_vcs = others;
		double rate = flow(bench, out_port, 500, 3000);

		if (rate < wanted_together) {
			fail("input %u, output %u: VC %u blocked, and all others together get %.4f cells/cycle, wanted "
			     "%.2f",
				in_port, out_port, blocked, rate, wanted_together);
		}
		worst_together = std::min(worst_together, rate);
		if (bench.sink(out_port).window.out_vc[blocked]) {
			fail("blocked VC %u sent cells", blocked);
		}
		bench.source(in_port).generator = nullptr;
		bench.link_sinks[out_port].withheld = 0;
		bench.drain();
		bench.check_home();
	}
	return figure("past a blocked VC of the same input and output: the other VCs together %.4f cells/cycle "
		      "(wanted %.2f), the slowest one alone, on its reserve, %.4f (wanted %.2f)",
		worst_together, wanted_together, worst_alone, wanted_alone);
}

} // namespace

std::vector<TestCase> blocking_tests()
{
	return {
		{"blocked-output-longest", [](const Options &o) { return blocked_output(o, shape().packet_cells); }},
		{"blocked-output-one-cell", [](const Options &o) { return blocked_output(o, 1); }},
		{"blocked-output-everywhere", blocked_output_everywhere},
		{"blocked-vc", [](const Options &o) { return blocked_vc(o, false); }},
		{"blocked-vc-saturated", [](const Options &o) { return blocked_vc(o, true); }},
	};
}
