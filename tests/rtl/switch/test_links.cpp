// SPDX-License-Identifier: Apache-2.0
//
// Links that go down and come back: what becomes of the packets, and that nobody else notices.
#include <algorithm>

#include "test_case.hpp"

namespace
{

enum : unsigned { state_train, state_up, state_down };
enum : unsigned { cause_none, cause_retries, cause_remote, cause_no_signal, cause_disabled };

void check_state(Bench &bench, unsigned port, unsigned state, unsigned cause)
{
	uint32_t value = bench.read(XT_REG_LINK_STATE, port),
		 expected = state << XT_FIELD_LINK_STATE_STATE_LSB | cause << XT_FIELD_LINK_STATE_CAUSE_LSB;

	if (value != expected) {
		fail("cycle %llu: LINK_STATE[%u] is 0x%x, expected 0x%x (state %u, cause %u)", as_ull(bench.now()),
			port, value, expected, state, cause);
	}
}

// Cycles from now until the link is down.
uint64_t wait_down(Bench &bench, unsigned port, uint64_t limit)
{
	uint64_t start = bench.now();

	while ((bench.read(XT_REG_LINK_STATE, port) >> XT_FIELD_LINK_STATE_STATE_LSB & 3) != state_down) {
		if (bench.now() > start + limit) {
			fail("cycle %llu: link %u is not down after %llu cycles", as_ull(bench.now()), port,
				as_ull(limit));
		}
	}
	return bench.now() - start;
}

// All of the buffer behind an output can be used.
void check_room(Bench &bench, unsigned out)
{
	const Shape &s = shape();
	LinkSink &sink = bench.link_sinks[out];
	unsigned vc = s.first_vc[bench.random.below(s.tcs)], by = (out + 1) % s.links;
	unsigned most = static_cast<unsigned>(sink.account().room(vc)) - s.left_over();

	if (most != s.reserved + s.pool - s.left_over()) {
		fail("bench: the sink of output %u is not empty", out);
	}
	sink.withheld = ~0u;
	for (unsigned n = 0; n < most + s.left_over(); n++) {
		bench.send(bench.packet(by, vc, out, vc, 1));
	}
	bench.run(2 * s.buffer_cells + 100);
	if (sink.account().used(vc) < most) {
		fail("cycle %llu: output %u was trained again, and %u cells fit its buffer, at least %u do",
			as_ull(bench.now()), out, sink.account().used(vc), most);
	}
	sink.withheld = 0;
	bench.drain();
}

// A link is disabled while a packet comes in by it; others go on; it is trained again.
std::string cut_packet(const Options &options)
{
	const Shape &s = shape();
	double slowest = 1;
	unsigned cut = 0, swallowed = 0;

	for (unsigned n = 0; n < 10; n++) {
		Bench bench(options);
		unsigned down = n % s.links, out = n % 2 ? s.links : (down + 2) % s.links;
		unsigned tc = bench.random.below(s.tcs), vc = bench.random_out_vc(down, tc);
		const uint64_t cycles = 2500;

		// Sends to the link when it is down, and nothing else.
		unsigned from = (down + 1) % s.ports == out ? (down + 2) % s.ports : (down + 1) % s.ports;

		bench.links[down].may_fail = true;
		Packet packet = bench.packet(down, vc, out, bench.random_out_vc(out, tc), s.packet_cells);

		packet.whole = bench.random.between(1, packet.cells - 1);
		packet.cut = true;
		bench.send(packet);
		bench.run(s.packet_cells + 100);
		// A rotation past it: by the other inputs, and not to the output that waits for the packet's end.
		for (unsigned p = 0; p < s.ports; p++) {
			unsigned to = (p + 1) % s.ports;

			if (p == down || p == from || to == down || to == out) {
				continue;
			}
			bench.source(p).generated_vcs = bench.source_vcs(p);
			bench.source(p).generator = [&bench, &s, p, to](unsigned v) {
				return bench.packet(p, v, to, bench.random_out_vc(to, s.vc_tc[v]), s.packet_cells);
			};
		}
		bench.run(1500);
		if (!bench.sink(out).receiving()) {
			fail("bench: the packet is out before its link is cut");
		}
		bench.clear_windows();
		bench.write(XT_REG_LINK_DISABLE, 1u << down);
		bench.run(s.packet_cells + 20);
		check_state(bench, down, state_down, cause_disabled);
		bench.run(2 * s.packet_cells);
		if (bench.sink(out).window.poisoned != 1) {
			fail("cycle %llu: input %u was disabled after %u of %u cells of a packet: it did not come out, "
			     "marked as incomplete, at output %u",
				as_ull(bench.now()), down, packet.whole, packet.cells, out);
		}
		if (bench.read(XT_REG_POISONED, down) != 1 ||
			(s.is_nic(out) && bench.read(XT_REG_POISONED, out) != 1)) {
			fail("one packet was cut at link %u and left by port %u: POISONED is %u and %u", down, out,
				bench.read(XT_REG_POISONED, down), bench.read(XT_REG_POISONED, out));
		}
		if (!bench.links[down].is_down()) {
			fail("cycle %llu: link %u was disabled, and the other end does not know", as_ull(bench.now()),
				down);
		}
		cut++;
		// What goes to the link is swallowed, and holds nobody up.
		unsigned lost = bench.random.between(1, 20), before = bench.read(XT_REG_DROPPED, down);

		for (unsigned k = 0; k < lost; k++) {
			unsigned v = s.is_nic(from) ? s.first_vc[tc] : bench.random_out_vc(from, tc);

			bench.send(bench.packet(
				from, v, down, bench.random_out_vc(down, tc), bench.random.between(1, s.packet_cells)));
		}
		bench.run(cycles);
		for (unsigned p = 0; p < s.ports; p++) {
			unsigned input = (p + s.ports - 1) % s.ports;
			double rate = static_cast<double>(bench.sink(p).window.cells) /
				      static_cast<double>(cycles + 3 * s.packet_cells + 20);

			if (p == down || p == out || input == down || input == from) {
				continue;
			}
			slowest = std::min(slowest, rate);
			if (rate < 0.98) {
				fail("link %u is down, and output %u moves %.4f cells/cycle", down, p, rate);
			}
		}
		bench.stop_generators();
		bench.run(2 * s.buffer_cells + 300);
		std::deque<Packet> gone = bench.give_up(down);

		if (gone.size() != lost || bench.read(XT_REG_DROPPED, down) - before != lost) {
			fail("cycle %llu: %u packets were sent to link %u, which is down: %zu did not come out, "
			     "DROPPED "
			     "grew by %u",
				as_ull(bench.now()), lost, down, gone.size(),
				bench.read(XT_REG_DROPPED, down) - before);
		}
		swallowed += lost;
		uint32_t retrains = bench.read(XT_REG_RETRAINS, down);

		bench.write(XT_REG_LINK_DISABLE, 0);
		bench.run(50);
		check_state(bench, down, state_down, cause_disabled);
		bench.retrain(down);
		check_state(bench, down, state_up, cause_none);
		if (bench.read(XT_REG_RETRAINS, down) != retrains + 1) {
			fail("link %u was trained once more: RETRAINS went from %u to %u", down, retrains,
				bench.read(XT_REG_RETRAINS, down));
		}
		check_room(bench, down);
		for (unsigned k = 0; k < 30; k++) {
			unsigned to = bench.random.below(s.ports), t = bench.random.below(s.tcs);

			bench.send(bench.packet(down, bench.random_out_vc(down, t), to, bench.random_out_vc(to, t),
				bench.random.between(1, s.packet_cells)));
		}
		bench.drain();
		bench.check_home();
	}
	return figure("%u packets cut, each out marked as incomplete; %u swallowed and counted; other outputs %.4f "
		      "cells/cycle at least (wanted 0.98); trained again with all credits",
		cut, swallowed, slowest);
}

// A link under full load both ways goes down by a request to train it again, and comes back.
std::string retrain_under_load(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	unsigned rounds = 8 * options.scale;
	uint64_t lost = 0;

	for (unsigned n = 0; n < rounds; n++) {
		unsigned down = n % s.links;
		LinkPort &link = bench.links[down];
		uint32_t before = bench.read(XT_REG_DROPPED, down);

		link.may_fail = true;
		for (unsigned p = 0; p < s.ports; p++) {
			bench.source(p).generated_vcs = bench.source_vcs(p);
			bench.source(p).generator = [&bench, &s, p, down](unsigned vc) {
				// From the link itself nothing: which cells of it still count is not known here.
				unsigned out = bench.random.below(s.ports);

				return bench.packet(p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]),
					bench.random.between(1, s.packet_cells));
			};
		}
		bench.source(down).generator = nullptr;
		bench.run(1500 + bench.random.below(300));
		bench.source(down).drop_queues();
		bench.write(XT_REG_LINK_RETRAIN, 1u << down);
		bench.run_until([&] { return link.is_down(); }, 200, "the other end's noticing");
		bench.stop_generators();
		bench.run(4 * s.buffer_cells + 500);
		size_t gone = bench.give_up(down).size();
		uint32_t dropped = bench.read(XT_REG_DROPPED, down) - before;

		// Packets that had arrived whole when the link went down, but were not acknowledged, are counted
		// too; so is the one that had begun to arrive.
		if (dropped < gone || dropped > gone + 1 + 2 * s.head_latency() + 10) {
			fail("cycle %llu: %zu packets to link %u did not arrive, DROPPED grew by %u",
				as_ull(bench.now()), gone, down, dropped);
		}
		lost += gone;
		bench.link_sources[down].restart();
		link.restart();
		bench.run_until([&] { return link.ready(bench.now()); }, 2000, "the link's training");
		bench.run(50);
		bench.drain();
		bench.check_home();
		check_room(bench, down);
	}
	return figure("%u links trained again under load, %llu packets lost and counted, everything else delivered",
		rounds, as_ull(lost));
}

// The other end falls silent while something is not acknowledged, or only signs of life are expected.
std::string silence(const Options &options)
{
	const Shape &s = shape();
	uint64_t slowest = 0;
	const unsigned timeout = 120, limit = 3, keepalive = 50;

	for (unsigned n = 0; n < 6; n++) {
		Bench bench(options);
		unsigned down = n % s.links, tc = bench.random.below(s.tcs), from = (down + 1) % s.links;
		LinkPort &link = bench.links[down];
		uint32_t before;
		const uint64_t bound = (limit + 1) * timeout;

		link.may_fail = true;
		bench.write(XT_REG_LINK_TIMING,
			timeout << XT_FIELD_LINK_TIMING_TIMEOUT_LSB | limit << XT_FIELD_LINK_TIMING_RETRY_LIMIT_LSB);
		// So many that not all have gone.
		for (unsigned cells = 0; cells < 160; cells += s.packet_cells) {
			bench.send(bench.packet(from, bench.random_out_vc(from, tc), down,
				bench.random_out_vc(down, tc), s.packet_cells));
		}
		bench.run(40 + bench.random.below(60));
		before = bench.read(XT_REG_TIMEOUTS, down);
		link.dead = true;
		uint64_t took = wait_down(bench, down, bound + 60);

		// The reading takes its time.
		if (took > bound + 40) {
			fail("link %u fell silent: down after %llu cycles, the bound is %llu", down, as_ull(took),
				as_ull(bound));
		}
		check_state(bench, down, state_down, cause_retries);
		// The last one finds no retry left.
		if (bench.read(XT_REG_TIMEOUTS, down) - before != limit + 1) {
			fail("RETRY_LIMIT is %u, and TIMEOUTS[%u] grew by %u", limit, down,
				bench.read(XT_REG_TIMEOUTS, down) - before);
		}
		slowest = std::max(slowest, took);
		bench.run(1000);
		bench.give_up(down);
		bench.retrain(down);
		check_room(bench, down);

		// Signs of life.
		for (LinkPort &other : bench.links) {
			other.may_fail = true;
			other.keepalive = keepalive;
		}
		bench.run(keepalive);
		bench.write(XT_REG_LINK_KEEPALIVE, keepalive);
		bench.run(100);
		for (LinkPort &other : bench.links) {
			other.longest_quiet = 0;
		}
		bench.run(20 * keepalive);
		for (unsigned p = 0; p < s.links; p++) {
			check_state(bench, p, state_up, cause_none);
			if (bench.links[p].longest_quiet > keepalive || bench.links[p].longest_quiet < keepalive / 2) {
				fail("KEEPALIVE is %u, and link %u says something every %llu cycles", keepalive, p,
					as_ull(bench.links[p].longest_quiet));
			}
		}
		link.dead = true;
		took = wait_down(bench, down, 4 * keepalive + 60);
		if (took > 4 * keepalive + 40 || took < 3 * keepalive) {
			fail("link %u fell silent: down after %llu cycles, expected %u", down, as_ull(took),
				4 * keepalive);
		}
		check_state(bench, down, state_down, cause_no_signal);
		for (unsigned p = 0; p < s.links; p++) {
			if (p != down) {
				check_state(bench, p, state_up, cause_none);
			}
		}
		bench.write(XT_REG_LINK_KEEPALIVE, 0);
		for (LinkPort &other : bench.links) {
			other.keepalive = 0;
		}
		bench.retrain(down);
		bench.run(200);
		bench.drain();
		bench.check_home();
	}
	return figure("down after %llu cycles at most where %u are the bound, and by the keepalive; up again",
		as_ull(slowest), (limit + 1) * timeout);
}

// The other end starts over, or says that it is down.
std::string other_end(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);

	for (unsigned p = 0; p < s.links; p++) {
		bench.links[p].may_fail = true;
		bench.links[p].restart(); // trains, to the card's surprise
		bench.run(40);
		check_state(bench, p, state_down, cause_remote);
		bench.retrain(p);
		check_state(bench, p, state_up, cause_none);
		bench.run(100);
		check_room(bench, p);
	}
	bench.drain();
	bench.check_home();
	return figure("%u links down when the other end started over, and up again", s.links);
}

} // namespace

std::vector<TestCase> link_tests()
{
	if (!shape().frame.layer) {
		return {};
	}
	return {
		{"link-cut", cut_packet},
		{"link-retrain", retrain_under_load},
		{"link-silent", silence},
		{"link-remote", other_end},
	};
}
