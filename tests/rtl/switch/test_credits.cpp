// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test_case.hpp"

namespace
{

// The card may stop this many cells short of what a packet needs: its check looks ahead of credits
// that are being spent.
const int look_ahead = 5;

// Fills the buffer behind an output with packets of one VC, then the reserves of the others, and counts
// what went out: no more than the rule allows (the sink sees to that), and not less than the room
// rounded up to length classes.
std::string credit_room(const Options &options)
{
	const Shape &s = shape();
	std::string text;

	for (unsigned i = 0; i < s.profile->length_classes + 1; i++) {
		// Each class's longest packet, and one that has to be rounded up.
		unsigned classes = s.profile->length_classes;
		unsigned cells = i < classes ? s.profile->length_class[i]
					     : std::min(s.profile->length_class[classes > 2] + 1, s.packet_cells);
		unsigned rounded = s.length_class(cells);
		Bench bench(options);
		unsigned out_port = bench.random.below(s.links), first = bench.random.below(s.vcs);

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
				unsigned from = (out_port + 1 + k % 2) % s.ports;
				unsigned in_vc = s.is_nic(from) ? s.first_vc[s.vc_tc[vc]] : vc;

				bench.send(bench.packet(from, in_vc, out_port, vc, cells));
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
	bench.send(bench.packet((out_port + 1) % s.links, vc, out_port, vc, s.packet_cells));
	bench.run_until([&] { return bench.board.inside() == 0; }, 500, "the packet's way out");
	bench.run(s.packet_cells + 50);
	uint32_t used = bench.read(XT_REG_CREDITS_USED, out_port, vc);

	if (used != 1) {
		fail("one credit was lost: CREDITS_USED[%u][%u] is %u", out_port, vc, used);
	}
	return figure("CREDITS_USED[%u][%u] stays 1", out_port, vc);
}

// Frames with cells and credits get lost or spoiled, one at a time, on their way to the card and from it:
// each packet still comes out once, whole and in order, and all credits come home.
std::string repaired_frames(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const struct {
		unsigned LinkPort::*fault;
		bool at_input;
		std::vector<xt_register_id_t> counted;
	} faults[] = {
		{&LinkPort::lose_sent, true, {XT_REG_NACKS}},
		{&LinkPort::spoil_sent, true, {XT_REG_NACKS, XT_REG_CRC_ERRORS}},
		{&LinkPort::lose_received, false, {XT_REG_REPLAYS}},
	};
	unsigned made = 0;

	for (const auto &fault : faults) {
		for (unsigned n = 0; n < 20; n++) {
			unsigned in_port = bench.random.below(s.links),
				 out_port = (in_port + 1 + bench.random.below(s.links - 1)) % s.links;
			unsigned port = fault.at_input ? in_port : out_port;
			LinkPort &link = bench.links[port];
			const uint64_t errors = link.errors; // none is added if all had left before
			std::vector<uint32_t> before;

			for (xt_register_id_t counter : fault.counted) {
				before.push_back(bench.read(counter, port));
			}
			// A frame behind the faulty one makes the other end ask again, before a timeout does.
			for (unsigned k = 0, cells = 0; k < 6 || cells < s.head_latency() + 12; k++) {
				unsigned tc = bench.random.below(s.tcs), vc = bench.random_out_vc(in_port, tc);
				unsigned length = bench.random.between(1, s.packet_cells);

				bench.send(
					bench.packet(in_port, vc, out_port, bench.random_out_vc(out_port, tc), length));
				cells += length;
			}
			bench.run(shape().head_latency() + bench.random.below(10));
			link.*fault.fault = 1;
			bench.drain();
			bench.check_home();
			made += link.*fault.fault == 0;
			link.*fault.fault = 0;
			for (size_t i = 0; i < before.size() && link.errors != errors; i++) {
				uint32_t after = bench.read(fault.counted[i], port);

				if (after == before[i]) {
					fail("cycle %llu: port %u: a frame was lost or spoiled, and %s is still %u",
						as_ull(bench.now()), port, xt_registers[fault.counted[i]].name, after);
				}
			}
		}
	}
	if (made < 30) {
		fail("only %u of 60 faults hit a frame", made);
	}
	return figure("%u frames lost or spoiled one by one: %llu packets out once, whole and in order, credits home",
		made, as_ull(bench.board.left()));
}

// All links at once, in both directions, with errors by chance.
std::string noisy_links(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const double rate = 0.01;
	uint64_t errors = 0, cells = 0;
	uint64_t replays = 0;

	for (LinkPort &link : bench.links) {
		link.error_rate = rate;
	}
	for (unsigned p = 0; p < s.ports; p++) {
		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).gap_between = 0.02;
		bench.source(p).generator = [&bench, &s, p](unsigned vc) {
			unsigned out = bench.random.below(s.ports);

			return bench.packet(p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]),
				bench.random.between(1, s.packet_cells));
		};
	}
	bench.run(10000 * options.scale);
	bench.stop_generators();
	bench.drain();
	for (LinkPort &link : bench.links) {
		link.error_rate = 0;
	}
	bench.run(600);
	bench.drain();
	bench.check_home();
	for (unsigned p = 0; p < s.links; p++) {
		errors += bench.links[p].errors;
		replays += bench.links[p].replays() + bench.read(XT_REG_REPLAYS, p);
	}
	for (unsigned p = 0; p < s.ports; p++) {
		for (unsigned t = 0; t < s.tcs; t++) {
			cells += bench.sink(p).counts().cells[t];
		}
	}
	if (!errors || !replays) {
		fail("bench: %llu errors, %llu repetitions", as_ull(errors), as_ull(replays));
	}
	return figure("%llu frames lost or spoiled at a rate of %.3f: %llu repetitions; %llu cells, each out once, "
		      "unaltered and in order",
		as_ull(errors), rate, as_ull(replays), as_ull(cells));
}

} // namespace

// A lost credit is lost for good only where no link layer sends it again.
std::vector<TestCase> credit_tests()
{
	if (shape().frame.layer) {
		return {{"credit-room", credit_room}, {"lost-frames-repaired", repaired_frames},
			{"noisy-links", noisy_links}};
	}
	return {{"credit-room", credit_room}, {"lost-credit-shows", lost_credit}};
}
