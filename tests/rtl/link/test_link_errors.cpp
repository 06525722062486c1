// SPDX-License-Identifier: Apache-2.0
#include "link_bench.hpp"

namespace
{

// Random traffic through a bad link: End fails by itself when a cell or credit is lost, repeated or changed.
std::string bad_link(const Options &options, const char *kind, std::initializer_list<double> rates)
{
	std::string text;
	uint64_t timeouts = 0;

	for (double rate : rates) {
		for (unsigned latency : {1u, 3u, 15u}) {
			Bench bench({options.seed + latency, options.scale}, latency);
			uint64_t cycles = 40000 * options.scale, errors = 0, nacks = 0, replays = 0, faults = 0,
				 cells = 0;

			bench.train();
			for (End &e : bench.end) {
				e.timeout = 100;
				e.retry_limit = 255;
				e.freeing = 0.9;
			}
			for (Channel &w : bench.wire) {
				double even = std::string(kind) == "mixed" ? rate / 4 : rate;
				auto chance = [&](const char *name) {
					return std::string(kind) == name || std::string(kind) == "mixed" ? even : 0;
				};

				w.flip = chance("flips");
				w.drop = chance("drops");
				w.burst = chance("bursts");
				w.garbage = chance("garbage");
				w.faults = 0;
			}
			for (uint64_t done = 0; done < cycles; done += 1000) {
				bench.traffic(bench.random.below(3) * 0.5, bench.random.below(2) * 0.3);
				bench.run(1000);
			}
			bench.drain();
			for (unsigned i = 0; i < 2; i++) {
				const End &e = bench.end[i];

				if (e.state() != State::up) {
					fail("%s at %g, latency %u: end %u went down", kind, rate, latency, i);
				}
				if (e.whole != bench.end[!i].begun || e.completed) {
					fail("%s at %g: %llu packets begun, %llu out", kind, rate,
						static_cast<unsigned long long>(bench.end[!i].begun),
						static_cast<unsigned long long>(e.whole));
				}
				errors += e.events.crc_errors;
				nacks += e.events.nacks;
				replays += e.events.replays;
				timeouts += e.events.timeouts;
				faults += bench.wire[i].faults;
				cells += e.cells_out;
			}
			bool silent = std::string(kind) == "drops"; // nothing that arrives is wrong

			if (!faults || !nacks || !replays || (silent ? errors != 0 : errors == 0)) {
				fail("%s at %g: %llu faults, but %llu CRC errors, %llu nacks, %llu replays", kind, rate,
					static_cast<unsigned long long>(faults),
					static_cast<unsigned long long>(errors), static_cast<unsigned long long>(nacks),
					static_cast<unsigned long long>(replays));
			}
			if (latency == 3) {
				text += figure("%s%g: %.3f cells per cycle", text.empty() ? "" : ", ", rate,
					static_cast<double>(cells) / static_cast<double>(bench.now) / 2);
			}
		}
	}
	if (!timeouts) {
		fail("%s: no timeout at any rate", kind);
	}
	return text;
}

std::string flips(const Options &options)
{
	return bad_link(options, "flips", {0.0005, 0.005, 0.05, 0.2});
}

std::string drops(const Options &options)
{
	return bad_link(options, "drops", {0.0005, 0.005, 0.05, 0.2});
}

std::string bursts(const Options &options)
{
	return bad_link(options, "bursts", {0.0005, 0.005});
}

std::string garbage(const Options &options)
{
	return bad_link(options, "garbage", {0.0005, 0.05, 0.2});
}

std::string mixed(const Options &options)
{
	return bad_link(options, "mixed", {0.001, 0.02});
}

// What one error costs at line rate: the nack brings the replay after one round trip.
std::string cost(const Options &options)
{
	const unsigned latency = 4, errors = 200;
	uint64_t lost, timeouts;
	Bench bench(options, latency);

	bench.train();
	bench.traffic(1, 0);
	bench.run(200);
	uint64_t start = bench.now, before = bench.end[1].cells_out;

	for (unsigned n = 0; n < errors; n++) {
		bench.wire[0].flip = 1;
		bench.cycle();
		bench.wire[0].flip = 0;
		bench.run(200);
	}
	lost = bench.now - start - (bench.end[1].cells_out - before);
	timeouts = bench.end[0].events.timeouts + bench.end[1].events.timeouts;
	if (timeouts || lost > errors * (2 * latency + 10)) {
		fail("%u errors cost %llu cells and %llu timeouts", errors, static_cast<unsigned long long>(lost),
			static_cast<unsigned long long>(timeouts));
	}
	bench.drain();
	return figure("an error costs %.1f cells on a link of %u cycles", static_cast<double>(lost) / errors, latency);
}

} // namespace

std::vector<TestCase> error_tests()
{
	return {{"flips", flips}, {"drops", drops}, {"bursts", bursts}, {"garbage", garbage}, {"mixed", mixed},
		{"cost", cost}};
}
