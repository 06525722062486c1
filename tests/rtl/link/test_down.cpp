// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "link_bench.hpp"

namespace
{

// Cycles from a frame at the pins of one end to what it causes at the other, beside the link's latency.
const unsigned end_latency = 6;

unsigned long long ull(uint64_t x)
{
	return x;
}

void expect_cause(const End &end, unsigned number, Cause cause)
{
	if (end.state() != State::down || end.cause() != cause) {
		fail("end %u: state %u, cause %u; expected down by cause %u", number,
			static_cast<unsigned>(end.state()), static_cast<unsigned>(end.cause()),
			static_cast<unsigned>(cause));
	}
}

void expect_books(Bench &bench)
{
	for (unsigned i = 0; i < 2; i++) {
		const End &from = bench.end[i], &to = bench.end[!i];
		uint64_t given_up = from.events.dropped + from.events.lost, missing = from.begun - to.whole;

		// A packet that arrived and whose ack did not is counted as lost: no more than fit the replay buffer.
		if (given_up < missing || given_up > missing + from.events.lost) {
			fail("end %u: %llu packets missing, %llu dropped and %llu lost", i, ull(missing),
				ull(from.events.dropped), ull(from.events.lost));
		}
		if (to.completed != to.events.cuts) {
			fail("end %u: %llu packets completed with poison, %llu counted", !i, ull(to.completed),
				ull(to.events.cuts));
		}
	}
}

// Retrains both ends and shows that the link works as a new one.
void revive(Bench &bench)
{
	uint64_t restarts[2] = {bench.end[0].events.restarts, bench.end[1].events.restarts};

	bench.heal();
	for (End &e : bench.end) {
		e.start_while_down = false;
		e.disable = false;
		e.load = 0;
	}
	bench.run(3 * 64); // the packet that the switch is in the middle of, and the burst of down frames
	for (End &e : bench.end) {
		e.retrain = true;
	}
	bench.train();
	for (unsigned i = 0; i < 2; i++) {
		if (bench.end[i].events.restarts != restarts[i] + 1) {
			fail("end %u restarted %llu times", i, ull(bench.end[i].events.restarts - restarts[i]));
		}
	}
	uint64_t before = bench.end[0].whole;

	bench.traffic(0.5, 0.1);
	bench.run(300);
	bench.drain();
	if (bench.end[0].whole < before + 10) {
		fail("no packets after retraining");
	}
	expect_books(bench);
}

// Directions die under traffic; both ends are down within the bound, or the other one is told.
std::string killed(const Options &options, bool first, bool second, bool told)
{
	uint64_t slowest = 0, slowest_told = 0, cuts = 0;

	for (unsigned n = 0; n < 60 * options.scale; n++) {
		unsigned latency = 1 + n % 7;
		Bench bench({options.seed + 10 * n, 1}, latency);
		unsigned dying = bench.random.below(2);

		bench.train();
		for (End &e : bench.end) {
			e.timeout = bench.random.between(40, 100);
			e.retry_limit = bench.random.below(6);
			e.start_while_down = true;
		}
		bench.traffic(0.9, 0.1);
		bench.run(bench.random.between(100, 600));
		uint64_t when = bench.now;

		if (first) {
			bench.kill(dying);
		}
		if (second) {
			bench.kill(!dying);
		}
		bench.wait("DOWN at both ends", 2000, [&] { return bench.both(State::down); });
		for (unsigned i = 0; i < 2; i++) {
			const End &e = bench.end[i];
			// When the link dies the last ack is under way; if only the other direction died, the cell
			// that it answers.
			unsigned ways = told ? 2 : 1;
			uint64_t retries = (e.retry_limit + 1) * e.timeout;
			uint64_t bound = retries + ways * (latency + end_latency);
			uint64_t took = e.down_since - when;

			if (told && e.cause() == Cause::remote) {
				uint64_t behind = e.down_since - bench.end[!i].down_since;

				slowest_told = std::max(slowest_told, behind - latency);
				if (behind > latency + end_latency) {
					fail("end %u was told after %llu cycles", i, ull(behind));
				}
				expect_cause(bench.end[!i], !i, Cause::retries);
				continue;
			}
			expect_cause(e, i, Cause::retries);
			slowest = std::max(slowest, took - std::min(took, retries));
			if (took > bound) {
				fail("end %u is down after %llu cycles, bound %llu", i, ull(took), ull(bound));
			}
		}
		bench.run(100);
		bench.traffic(0, 0);
		bench.run(100);
		expect_books(bench);
		cuts += bench.end[0].completed + bench.end[1].completed;
		revive(bench);
	}
	if (!cuts) {
		fail("no packet was cut");
	}
	return figure(
		"DOWN at most %llu cycles after (limit + 1) * timeout, told after latency + %llu; %llu packets cut",
		ull(slowest), ull(slowest_told), ull(cuts));
}

std::string one_way_dead(const Options &options)
{
	return killed(options, true, false, true);
}

std::string both_ways_dead(const Options &options)
{
	return killed(options, true, true, false);
}

// Nothing is unacknowledged, so only the keepalive finds out.
std::string idle_dead(const Options &options)
{
	uint64_t slowest = 0;

	for (unsigned n = 0; n < 60; n++) {
		unsigned latency = 1 + n % 7, period = 10 + n % 50;
		Bench bench({options.seed + n, 1}, latency);

		bench.train();
		for (End &e : bench.end) {
			e.keepalive = period;
		}
		bench.traffic(0.3, 0);
		bench.run(200);
		bench.drain();
		bench.run(bench.random.below(200));
		uint64_t when = bench.now;

		bench.kill(0);
		if (n % 2) {
			bench.kill(1);
		}
		bench.wait("DOWN at both ends", 10 * period + 100, [&] { return bench.both(State::down); });
		expect_cause(bench.end[1], 1, Cause::no_signal);
		expect_cause(bench.end[0], 0, n % 2 ? Cause::no_signal : Cause::remote);
		for (unsigned i = 0; i < 2; i++) {
			uint64_t bound = 4 * period + latency * (n % 2 ? 1 : 2) + 2 * end_latency;
			uint64_t took = bench.end[i].down_since - when;

			slowest = std::max(slowest, took - std::min<uint64_t>(took, 4 * period));
			if (took > bound) {
				fail("end %u is down after %llu cycles, bound %llu", i, ull(took), ull(bound));
			}
		}
		for (End &e : bench.end) {
			e.keepalive = 0;
		}
		revive(bench);
	}
	return figure("DOWN at most %llu cycles after 4 * keepalive", ull(slowest));
}

// An end whose input buffer is not empty does not train.
std::string retrain_waits(const Options &options)
{
	for (unsigned n = 0; n < 40; n++) {
		Bench bench({options.seed + n, 1}, 1 + n % 5);
		End &full = bench.end[n % 2], &other = bench.end[!(n % 2)];

		bench.train();
		full.timeout = other.timeout = 50;
		full.freeing = 0.05;
		bench.traffic(0.9, 0.1);
		bench.run(200);
		full.keep_buffer = true;
		bench.run(bench.random.below(100));
		full.retrain = n % 4 < 2;
		full.disable = n % 4 >= 2;
		bench.cycle();
		full.disable = false;
		bench.wait("DOWN at the other end", 200, [&] { return other.state() == State::down; });
		expect_cause(other, !(n % 2), Cause::remote);
		if (n % 4 >= 2) {
			expect_cause(full, n % 2, Cause::disabled);
		}
		other.load = full.load = 0;
		bench.run(300);
		full.retrain = full.state() == State::down;
		other.retrain = true;
		bench.run(500);
		if (full.state() != State::train || other.state() != State::train || full.frame_out()) {
			fail("an end trains although its buffer is not empty");
		}
		full.keep_buffer = false;
		full.freeing = 0.5;
		bench.train();
		bench.traffic(0.5, 0.1);
		bench.run(300);
		bench.drain();
		expect_books(bench);
	}
	return figure("trained after the buffer was empty");
}

// LINK_DISABLE: down at once, for as long as it is set, whatever is asked.
std::string disabled(const Options &options)
{
	Bench bench(options, 3);
	uint64_t retrains;

	bench.train();
	bench.traffic(0.5, 0);
	bench.run(200);
	bench.end[0].disable = true;
	bench.run(20);
	expect_cause(bench.end[0], 0, Cause::disabled);
	expect_cause(bench.end[1], 1, Cause::remote);
	retrains = bench.end[0].events.retrains;
	bench.end[0].retrain = true;
	bench.run(200);
	expect_cause(bench.end[0], 0, Cause::disabled);
	bench.end[0].disable = false;
	bench.run(200);
	expect_cause(bench.end[0], 0, Cause::disabled);
	if (bench.end[0].events.retrains != retrains || bench.sends[0] || bench.sends[1]) {
		fail("a link that is down does something");
	}
	revive(bench);
	if (bench.end[0].events.retrains != retrains + 1) {
		fail("retraining is not counted");
	}
	return figure("stays down until retrained");
}

// Down frames all lost: a normal frame that arrives later is answered, so no end stays up for ever.
std::string late_news(const Options &options)
{
	for (unsigned n = 0; n < 20; n++) {
		Bench bench({options.seed + n, 1}, 1 + n % 5);

		bench.train();
		bench.kill(0);
		bench.end[0].disable = true;
		bench.run(150);
		bench.heal();
		if (bench.end[1].state() != State::up) {
			fail("an idle end should not have noticed");
		}
		bench.end[1].load = 0.5;
		bench.wait("DOWN at the other end", 50, [&] { return bench.end[1].state() == State::down; });
		expect_cause(bench.end[1], 1, Cause::remote);
		bench.end[1].load = 0;
		bench.run(100);
		revive(bench);
	}
	return figure("told as soon as it sent something");
}

// A packet that the switch is in the middle of all the while the link is down: its rest is swallowed too.
std::string straddling(const Options &options)
{
	for (unsigned n = 0; n < 100; n++) {
		Bench bench({options.seed + n, 1}, 1 + n % 5);
		End &source = bench.end[n % 2], &other = bench.end[!(n % 2)];
		bool begun_while_up = n % 4 < 2;

		bench.train();
		source.disable = !begun_while_up;
		bench.run(20);
		source.disable = false;
		source.start_while_down = true;
		source.load = 1;
		bench.wait("the middle of a packet", 100, [&] {
			bench.cycle();
			return source.in_packet();
		});
		source.load = 0;
		source.gap = 1;
		source.disable = begun_while_up;
		bench.cycle();
		source.disable = false;
		bench.run(100);
		source.retrain = other.retrain = true;
		bench.train();
		source.gap = 0;
		bench.wait("its end", 20, [&] { return !source.in_packet(); });
		source.load = 0.5;
		bench.run(100);
		bench.drain();
		expect_books(bench);
		if (source.events.dropped == 0) {
			fail("the packet is not counted");
		}
	}
	return figure("no rest of a packet passes");
}

// Links that fail again and again under errors of every kind, with packets that start all the time.
std::string soak(const Options &options)
{
	uint64_t downs = 0, cuts = 0, packets = 0;

	for (unsigned n = 0; n < 20 * options.scale; n++) {
		Bench bench({options.seed + 100 * n, 1}, 1 + n % 12);

		for (End &e : bench.end) {
			e.timeout = 60;
			e.retry_limit = bench.random.below(3);
			e.freeing = 0.7;
			e.start_while_down = true;
			e.keepalive = n % 2 ? 50 : 0;
		}
		for (unsigned i = 0; i < 20; i++) {
			for (Channel &w : bench.wire) {
				w.flip = w.drop = w.garbage = bench.random.below(3) * 0.03;
				w.burst = bench.random.below(2) * 0.01;
			}
			bench.traffic(bench.random.below(3) * 0.5, bench.random.below(2) * 0.2);
			bench.run(500);
			for (End &e : bench.end) {
				e.disable = bench.random.chance(0.05);
				e.retrain = bench.random.chance(0.5);
				downs += e.state() == State::down;
			}
		}
		for (Channel &w : bench.wire) {
			w.flip = w.drop = w.garbage = w.burst = 0;
		}
		for (End &e : bench.end) {
			e.disable = true;
			e.load = e.gap = 0;
		}
		bench.run(200);
		expect_books(bench);
		revive(bench);
		cuts += bench.end[0].completed + bench.end[1].completed;
		packets += bench.end[0].whole + bench.end[1].whole;
	}
	if (!downs || !cuts) {
		fail("the links never failed");
	}
	return figure("%llu packets, %llu cut", ull(packets), ull(cuts));
}

} // namespace

std::vector<TestCase> down_tests()
{
	return {{"one-way-dead", one_way_dead}, {"both-ways-dead", both_ways_dead}, {"idle-dead", idle_dead},
		{"retrain-waits", retrain_waits}, {"disabled", disabled}, {"late-news", late_news},
		{"straddling", straddling}, {"soak", soak}};
}
