// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../switch/failure.hpp"
#include "channel.hpp"
#include "end.hpp"

struct Options {
	uint64_t seed = 1;
	unsigned scale = 1;
	unsigned tx_latency = 2; // cycles from the switch's output to the pins
};

// Two ends and the two directions between them: end[0] sends into wire[0], which leads to end[1].
class Bench
{
      public:
	explicit Bench(const Options &options, unsigned latency = 2);

	void cycle();
	void run(uint64_t cycles);
	// Runs until `done`, at most so many cycles; `what` says in the failure what was waited for.
	void wait(const char *what, uint64_t limit, const std::function<bool()> &done);
	void train();
	// Random packets of both ends; frames are lost and damaged at the given chances, in both directions.
	void traffic(double load, double gap);
	// Stops sources and waits until all that was sent has arrived.
	void drain(uint64_t limit = 100000);
	void kill(unsigned direction);
	void heal();
	bool both(State state) const
	{
		return end[0].state() == state && end[1].state() == state;
	}

	Random random;
	End end[2];
	Channel wire[2];
	uint64_t now = 0;
	// A frame leaves or arrives in this cycle.
	bool sends[2] = {};
};

struct TestCase {
	const char *name;
	std::string (*run)(const Options &options);
};

std::string figure(const char *format, ...) __attribute__((format(printf, 1, 2)));

std::vector<TestCase> clean_tests();
std::vector<TestCase> error_tests();
std::vector<TestCase> down_tests();
