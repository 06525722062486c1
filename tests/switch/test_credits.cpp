// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test_case.hpp"

namespace
{

// The card may stop this many cells short of what a packet needs: its check looks ahead of credits
// that are being spent.
const int look_ahead = 3;

// Fills the buffer behind an output with packets of one VC, then the reserves of the others, and counts
// what went out: no more than the rule allows (the sink sees to that), and not less than the room
// rounded up to length classes.
std::string credit_room(const Options &options)
{
	const Shape &s = shape();
	std::string text;

	for (unsigned i = 0; i < s.profile->length_classes + 1; i++) {
		// Each class's longest packet, and one that has to be rounded up.
		unsigned cells =
			i < s.profile->length_classes ? s.profile->length_class[i] : s.profile->length_class[1] + 1;
		unsigned rounded = s.length_class(cells);
		Bench bench(options);
		unsigned in_port = bench.random.below(s.links), out_port = bench.random.below(s.links);
		unsigned first = bench.random.below(s.vcs);

		LinkSink &sink = bench.link_sinks[out_port];

		sink.withheld = ~0u;
		for (unsigned n = 0; n < s.vcs; n++) {
			unsigned vc = (first + n) % s.vcs;
			CreditAccount least = sink.account();

			while (least.room(vc) >= static_cast<int>(rounded) + look_ahead) {
				least.take(vc, cells);
			}
			// A second source helps: one alone may not hold so many packets.
			for (unsigned k = 0; k < (s.reserved + s.pool) / cells + 1; k++) {
				unsigned from = k % 2 ? in_port : (in_port + 1) % s.links;

				bench.send(bench.packet(from, vc, out_port, vc, cells));
			}
			bench.run(2 * s.buffer_cells + 200);
			unsigned sent = sink.account().used(vc);

			if (sent < least.used(vc)) {
				fail("output %u VC %u: packets of %u cells stopped after %u cells with credit for %d "
				     "more; at least %u "
				     "fit",
					out_port, vc, cells, sent, sink.account().room(vc), least.used(vc));
			}
			uint32_t used = bench.read(XT_REG_CREDITS_USED, out_port, vc);

			if (used != sent) {
				fail("CREDITS_USED[%u][%u] is %u, the sink holds %u cells", out_port, vc, used, sent);
			}
			if (n == 0) {
				text += (text.empty() ? "" : ", ") + std::to_string(sent) + " of " +
					std::to_string(s.reserved + s.pool) + " in packets of " + std::to_string(cells);
			}
		}
		sink.withheld = 0;
		bench.drain();
		bench.check_home();
	}
	return "cells sent into a blocked VC: " + text;
}

std::string lost_credit(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	unsigned out_port = bench.random.below(s.links), vc = bench.random.below(s.vcs);

	bench.link_sinks[out_port].lose_credits = 1;
	bench.send(bench.packet(0, vc, out_port, vc, s.packet_cells));
	bench.run_until([&] { return bench.board.inside() == 0; }, 500, "the packet's way out");
	bench.run(s.packet_cells + 50);
	uint32_t used = bench.read(XT_REG_CREDITS_USED, out_port, vc);

	if (used != 1) {
		fail("one credit was lost: CREDITS_USED[%u][%u] is %u", out_port, vc, used);
	}
	return figure("CREDITS_USED[%u][%u] stays 1", out_port, vc);
}

} // namespace

std::vector<TestCase> credit_tests()
{
	return {{"credit-room", credit_room}, {"lost-credit-shows", lost_credit}};
}
