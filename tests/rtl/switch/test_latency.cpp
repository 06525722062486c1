// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test_case.hpp"

namespace
{

struct Range {
	uint64_t lowest = UINT64_MAX, highest = 0;
	void add(uint64_t value)
	{
		lowest = std::min(lowest, value);
		highest = std::max(highest, value);
	}
};

// One packet alone in the card.
uint64_t head(Bench &bench, unsigned in_port, unsigned out_port, unsigned cells)
{
	const Shape &s = shape();
	unsigned tc = bench.random.below(s.tcs);
	unsigned in_vc = s.is_nic(in_port) ? s.first_vc[tc] : s.first_vc[tc] + bench.random.below(s.deterministic[tc]);

	bench.clear_windows();
	bench.send(bench.packet(in_port, in_vc, out_port, bench.random_out_vc(out_port, tc), cells));
	bench.drain();
	return bench.sink(out_port).window.latency_max;
}

std::string idle_latency(const Options &options)
{
	const Shape &s = shape();
	const uint64_t head_latency = s.head_latency(); // first cell at an input pin to first cell at an output pin
	Bench bench(options);
	Range links, into_nic, from_nic, nic;

	for (LinkSink &sink : bench.link_sinks) {
		sink.gapless = true;
	}
	for (unsigned i = 0; i < s.ports; i++) {
		for (unsigned o = 0; o < s.ports; o++) {
			if (s.turns_back(i, o)) {
				continue;
			}
			for (unsigned cells : {1u, 2u, s.packet_cells}) {
				uint64_t cycles;

				bench.run(bench.random.below(20));
				cycles = head(bench, i, o, cells);
				(s.is_nic(i)          ? s.is_nic(o) ? nic : from_nic
					: s.is_nic(o) ? into_nic
						      : links)
					.add(cycles);
				if (!s.is_nic(i) && !s.is_nic(o) && cycles != head_latency) {
					fail("input %u to output %u, %u cells: head latency %llu cycles, expected %llu",
						i, o, cells, as_ull(cycles), as_ull(head_latency));
				}
			}
		}
	}
	auto text = [](const Range &r) {
		return r.lowest == r.highest ? std::to_string(r.lowest)
					     : std::to_string(r.lowest) + ".." + std::to_string(r.highest);
	};
	bench.check_home();
	return "head latency in cycles: link to link " + text(links) + ", link to NIC " + text(into_nic) +
	       ", NIC to link " + text(from_nic) + ", NIC to NIC " + text(nic);
}

} // namespace

std::vector<TestCase> latency_tests()
{
	return {{"idle-latency", idle_latency}};
}
