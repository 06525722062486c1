// SPDX-License-Identifier: Apache-2.0
#include "link_bench.hpp"

Bench::Bench(const Options &options, unsigned latency)
    : random(options.seed), end{{0, options.seed}, {1, options.seed + 1}}, wire{Channel(options.seed + 2),
										   Channel(options.seed + 3)}
{
	end[0].peer = &end[1];
	end[1].peer = &end[0];
	wire[0].latency = wire[1].latency = latency;
}

void Bench::cycle()
{
	std::optional<Frame> arrives[2];

	for (unsigned i = 0; i < 2; i++) {
		std::optional<Frame> leaves = end[i].frame_out();

		sends[i] = leaves.has_value();
		arrives[!i] = wire[i].cycle(leaves, now);
	}
	for (unsigned i = 0; i < 2; i++) {
		end[i].drive(arrives[i], now);
	}
	for (End &e : end) {
		e.clock();
	}
	now++;
}

void Bench::run(uint64_t cycles)
{
	for (; cycles > 0; cycles--) {
		cycle();
	}
}

void Bench::wait(const char *what, uint64_t limit, const std::function<bool()> &done)
{
	for (uint64_t start = now; !done();) {
		if (now - start >= limit) {
			fail("cycle %llu: %s did not happen within %llu cycles (states %u and %u, causes %u and %u)",
				static_cast<unsigned long long>(now), what, static_cast<unsigned long long>(limit),
				static_cast<unsigned>(end[0].state()), static_cast<unsigned>(end[1].state()),
				static_cast<unsigned>(end[0].cause()), static_cast<unsigned>(end[1].cause()));
		}
		cycle();
	}
}

void Bench::train()
{
	wait("training", 10000, [&] { return both(State::up) && !end[0].down() && !end[1].down(); });
}

void Bench::traffic(double load, double gap)
{
	for (End &e : end) {
		e.load = load;
		e.gap = gap;
	}
}

void Bench::drain(uint64_t limit)
{
	for (End &e : end) {
		e.load = 0;
		e.gap = 0;
	}
	wait("draining", limit, [&] { return end[0].quiet() && end[1].quiet(); });
}

void Bench::kill(unsigned direction)
{
	wire[direction].dead_from = now;
	wire[direction].dead_until = never;
}

void Bench::heal()
{
	for (Channel &w : wire) {
		w.dead_until = now;
	}
}
