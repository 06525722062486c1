// SPDX-License-Identifier: Apache-2.0
//
// Bubble flow control: into a ring only with room for two longest packets, along it with room for itself.
#include <algorithm>

#include "test_case.hpp"

namespace
{

const int margin = 4; // cells by which the card may stop short

// VC `vc` of an output is in a ring from VC `from_vc` of `from`. Where VCs have rings of their own, the registers have
// the port `other` for all other VCs.
void write_ring(Bench &bench, unsigned out, unsigned vc, unsigned from, unsigned from_vc, unsigned other)
{
	const bool by_vc = shape().has(XT_FEATURE_VC_RINGS);
	uint32_t others = other << XT_FIELD_VC_RING_FROM_VC1_LSB | other << XT_FIELD_VC_RING_FROM_VC2_LSB |
			  other << XT_FIELD_VC_RING_FROM_VC3_LSB;

	if (by_vc && vc > 0) {
		others ^= (other ^ from) << (XT_FIELD_VC_RING_FROM_VC1_LSB + (vc - 1) * XT_FIELD_VC_RING_FROM_VC1_BITS);
	}
	bench.write(XT_REG_RING,
		(by_vc && vc > 0 ? other : from) << XT_FIELD_RING_FROM_LSB | 1u << vc << XT_FIELD_RING_VCS_LSB |
			1u << from_vc << XT_FIELD_RING_FROM_VCS_LSB,
		out);
	if (by_vc) {
		bench.write(XT_REG_VC_RING_FROM, others, out);
	}
}

std::string rings(const Options &options)
{
	const Shape &s = shape();
	unsigned entered = 0, continued = 0;

	for (unsigned n = 0; n < 16; n++) {
		Bench bench(options);
		unsigned out = n % s.links, from = (out + 1 + bench.random.below(s.links - 1)) % s.links;
		unsigned tc = bench.random.below(s.tcs), ring_vc = n / 4 % s.vc_count[tc];
		unsigned from_vc = bench.random.below(s.vc_count[tc]);
		unsigned other = (from + 1) % s.links == out ? (from + 2) % s.links : (from + 1) % s.links;
		unsigned vc = s.first_vc[tc] + ring_vc;
		unsigned cells = n % 2 ? 1 : s.packet_cells;
		LinkSink &sink = bench.link_sinks[out];
		// The rule, told by register and not by the card's classes.
		auto in_ring = [&](const Packet &p) { return p.in_port == from && s.vc_in_tc(p.in_vc) == from_vc; };

		write_ring(bench, out, ring_vc, from, from_vc, other);
		sink.withheld = ~0u;
		sink.least_room = [&](const Packet &p) {
			bool enters = s.vc_in_tc(p.out_vc) == ring_vc && !in_ring(p);

			return static_cast<int>(enters ? 2 * s.packet_cells : p.cells);
		};
		// Packets that enter: from another port, or from the same one by another VC.
		unsigned by = n % 4 < 2 ? other : from;
		unsigned by_vc = s.first_vc[tc] + (by == from ? (from_vc + 1) % s.vc_count[tc] : from_vc);

		for (unsigned k = 0; k < s.reserved / cells + 2; k++) {
			bench.send(bench.packet(by, by_vc, out, vc, cells));
		}
		bench.run(2 * s.buffer_cells);
		int room = sink.account().room(vc);

		if (room >= static_cast<int>(2 * s.packet_cells) + margin) {
			fail("output %u VC %u: packets of %u cells that enter a ring stopped with credit for %d", out,
				vc, cells, room);
		}
		entered += sink.account().used(vc) / cells;
		// One that is in the ring goes on, where those that would enter wait.
		unsigned before = sink.account().used(vc);

		if (by != from) {
			unsigned most = cells;

			bench.send(bench.packet(from, s.first_vc[tc] + from_vc, out, vc, most));
			bench.run(s.packet_cells + 100);
			if (sink.account().used(vc) != before + most) {
				fail("output %u VC %u: a packet of %u cells in the ring does not go on with credit for "
				     "%d",
					out, vc, most, room);
			}
			for (unsigned k = 0; k < s.reserved; k++) {
				bench.send(bench.packet(from, s.first_vc[tc] + from_vc, out, vc, 1));
			}
			bench.run(2 * s.reserved + 100);
			if (sink.account().room(vc) > margin) {
				fail("output %u VC %u: packets in the ring stopped with credit for %d", out, vc,
					sink.account().room(vc));
			}
			continued += s.reserved - before;
		}
		// Other VCs of the output, and the same VC of other outputs, are in no ring.
		unsigned plain = s.first_vc[tc] + (ring_vc + 1) % s.vc_count[tc], away = (out + 1) % s.links;

		bench.link_sinks[away].withheld = ~0u;
		for (unsigned k = 0; k < s.reserved; k++) {
			bench.send(bench.packet(other, s.first_vc[tc] + (from_vc + 1) % s.vc_count[tc], out, plain, 1));
			bench.send(bench.packet(other, s.first_vc[tc] + (from_vc + 2) % s.vc_count[tc], away, vc, 1));
		}
		bench.run(4 * s.reserved + 100);
		if (sink.account().room(plain) > margin || bench.link_sinks[away].account().room(vc) > margin) {
			fail("outputs %u VC %u and %u VC %u are in no ring, and packets stopped with credit for %d and "
			     "%d",
				out, plain, away, vc, sink.account().room(plain),
				bench.link_sinks[away].account().room(vc));
		}
		sink.withheld = 0;
		bench.link_sinks[away].withheld = 0;
		bench.drain();
		bench.check_home();
	}
	return figure(
		"%u packets entered a ring, each with room for two longest ones; %u cells went on in it where none "
		"could enter",
		entered, continued);
}

} // namespace

std::vector<TestCase> ring_tests()
{
	if (!shape().has(XT_FEATURE_BUBBLE)) {
		return {};
	}
	return {{"rings", rings}};
}
