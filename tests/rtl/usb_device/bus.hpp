// SPDX-License-Identifier: Apache-2.0
//
// The wires between a host and the device. They carry packets without their meaning. Each bench has its own bus.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using Bytes = std::vector<uint8_t>;

struct Failure : std::runtime_error {
	using std::runtime_error::runtime_error;
};
void require(bool holds, const std::string &what);

class Bus
{
      public:
	explicit Bus(unsigned seed) : random(seed)
	{
	}
	virtual ~Bus() = default;

	// `answersChirp` false is a host that knows full speed only.
	virtual void reset(bool answersChirp) = 0;
	virtual bool atHighSpeed() const = 0;
	// So many cycles: bytes at high speed, bits at full speed.
	virtual void idle(unsigned cycles) = 0;
	virtual uint64_t cycles() const = 0;
	virtual void send(const Bytes &packet) = 0;
	// The answer; empty if none comes in time.
	virtual Bytes receive() = 0;
	// Words that the bridge has written.
	virtual unsigned writes() const = 0;
	// Bounds of the times, in their unit.
	struct Allowed {
		unsigned least, most;
	};
	virtual Allowed allowed() const = 0;

	bool chance(unsigned of)
	{
		return random() % of == 0;
	}

	std::mt19937 random;
	// The bridge's clock is slow, which saves time while nothing is under way. Only at the ULPI.
	bool bridgeIsSlow = false;
	// From the end of a packet to the answer, by what the host has sent.
	struct Times {
		unsigned quickest = UINT_MAX, slowest = 0;
	};
	std::map<std::string, Times> times;
	std::string asked;

      protected:
	void answeredAfter(unsigned time)
	{
		Times &known = times[asked];

		known.slowest = std::max(known.slowest, time);
		known.quickest = std::min(known.quickest, time);
	}
	static constexpr unsigned MostBytes = 1100; // of a packet
};

// Of this bench.
std::unique_ptr<Bus> makeBus(unsigned seed);
