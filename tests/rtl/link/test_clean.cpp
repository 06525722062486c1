// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "link_bench.hpp"

namespace
{

// From the pins to the switch's input.
const unsigned rx_latency = 2;

std::string latency(const Options &options)
{
	const unsigned tx_latency = options.tx_latency;

	for (unsigned wire_latency : {1u, 2u, 17u}) {
		Bench bench(options, wire_latency);

		bench.train();
		bench.run(100);
		for (unsigned n = 0; n < 50; n++) {
			unsigned from = n % 2;
			uint64_t given, at_pin = 0;
			End &source = bench.end[from], &sink = bench.end[!from];

			source.longest = 1;
			source.load = 1;
			bench.wait("a packet", 100, [&] { return source.cells_driven > n / 2; });
			source.load = 0;
			given = source.last_cell_driven;
			bench.wait("a cell", 100, [&] {
				std::optional<Frame> frame = source.frame_out();

				if (frame && has_cell(*frame) && !at_pin) {
					at_pin = bench.now;
				}
				return sink.cells_out > n / 2;
			});
			if (at_pin - given != tx_latency ||
				sink.last_cell_out - given != tx_latency + wire_latency + rx_latency) {
				fail("link of %u cycles: at the pin after %llu, at the switch after %llu", wire_latency,
					static_cast<unsigned long long>(at_pin - given),
					static_cast<unsigned long long>(sink.last_cell_out - given));
			}
			bench.run(bench.random.below(60));
		}
	}
	return figure("%u cycles to the pins, %u from the pins", tx_latency, rx_latency);
}

std::string throughput(const Options &options)
{
	const unsigned cycles = 20000;

	for (unsigned longest : {1u, packet_cells}) {
		Bench bench(options, 3);

		bench.train();
		for (End &e : bench.end) {
			e.longest = longest;
		}
		bench.traffic(1, 0);
		bench.run(200);
		uint64_t before[2] = {bench.end[0].cells_out, bench.end[1].cells_out};

		bench.run(cycles);
		for (unsigned i = 0; i < 2; i++) {
			if (bench.end[i].cells_out - before[i] != cycles) {
				fail("packets of up to %u cells: %llu cells in %u cycles", longest,
					static_cast<unsigned long long>(bench.end[i].cells_out - before[i]), cycles);
			}
		}
		bench.drain();
		for (End &e : bench.end) {
			if (e.events.crc_errors || e.events.nacks || e.events.replays || e.events.timeouts) {
				fail("errors on a link without errors");
			}
		}
	}
	return figure("1.000 cells per cycle in both directions");
}

std::string idle(const Options &options)
{
	Bench bench(options, 5);

	bench.train();
	for (unsigned n = 0; n < 200; n++) {
		bench.traffic(0.3, 0.2);
		bench.run(bench.random.below(60));
		bench.drain();
		bench.wait("idleness", 40, [&] { return !bench.end[0].active() && !bench.end[1].active(); });
		for (unsigned i = 0; i < 50; i++) {
			bench.cycle();
			if (bench.sends[0] || bench.sends[1] || bench.end[0].active() || bench.end[1].active()) {
				fail("cycle %llu: an idle link is active", static_cast<unsigned long long>(bench.now));
			}
		}
	}
	return figure("an idle link sends nothing");
}

// With keepalive the gap between frames is bounded, and what is heard keeps the other end up.
std::string keepalive(const Options &options)
{
	unsigned longest = 0;

	for (unsigned period : {4u, 5u, 7u, 100u}) {
		Bench bench(options, 5);
		unsigned gap[2] = {};

		bench.train();
		for (End &e : bench.end) {
			e.keepalive = period;
		}
		bench.run(2 * period);
		for (unsigned n = 0; n < 20 * period + 2000; n++) {
			bench.traffic(n % 500 < 100 ? 0.1 : 0, 0.1);
			bench.cycle();
			for (unsigned i = 0; i < 2; i++) {
				gap[i] = bench.sends[i] ? 0 : gap[i] + 1;
				longest = std::max(longest, gap[i] + 1);
				if (gap[i] >= period) {
					fail("keepalive of %u cycles: nothing for %u cycles", period, gap[i] + 1);
				}
			}
			if (!bench.both(State::up) || !bench.end[0].active()) {
				fail("keepalive of %u cycles: not up and active", period);
			}
		}
	}
	return figure("a frame every %u cycles at least", longest);
}

// No end waits for ever whatever the order in which they come, and the first cells are not lost.
std::string training(const Options &options)
{
	uint64_t slowest = 0;

	for (unsigned n = 0; n < 200 * options.scale; n++) {
		unsigned wire_latency = 1 + n % 40;
		Bench bench({options.seed + n, 1}, wire_latency);
		unsigned late = bench.random.below(2);
		uint64_t both_ready;

		bench.end[late].keep_buffer = true;
		bench.run(bench.random.below(200));
		if (bench.end[late].frame_out() || bench.end[!late].state() != State::train) {
			fail("an end trains before its buffer is empty");
		}
		bench.end[late].keep_buffer = false;
		both_ready = bench.now;
		bench.traffic(0.5, 0.1);
		bench.train();
		slowest = std::max(slowest, bench.now - both_ready - 3 * wire_latency);
		bench.run(300);
		bench.drain();
		if (bench.end[0].events.replays || bench.end[1].events.replays) {
			fail("link of %u cycles: a replay at the start of a link without errors", wire_latency);
		}
	}
	return figure("packets flow 3 link latencies and %u cycles after both ends are ready",
		static_cast<unsigned>(slowest));
}

} // namespace

std::vector<TestCase> clean_tests()
{
	return {{"latency", latency}, {"throughput", throughput}, {"idle", idle}, {"keepalive", keepalive},
		{"training", training}};
}
