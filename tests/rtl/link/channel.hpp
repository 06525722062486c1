// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "../switch/random.hpp"
#include "link_frame.hpp"

constexpr uint64_t never = UINT64_MAX;

// One direction of a link: frames arrive `latency` cycles after they left, unless something happens.
class Channel
{
      public:
	explicit Channel(uint64_t seed) : random_(seed)
	{
	}
	// What arrives in this cycle, for what leaves in it.
	std::optional<Frame> cycle(const std::optional<Frame> &out, uint64_t now);

	unsigned latency = 2; // at least 1; to be set while nothing is under way
	// Chances per frame: 1 .. 3 bits inverted; vanished; it and the next 1 .. 40 frames overwritten.
	double flip = 0, drop = 0, burst = 0;
	double garbage = 0; // per cycle, with or without a frame
	// From this cycle on, until that one, nothing arrives.
	uint64_t dead_from = never, dead_until = never;

	uint64_t faults = 0; // that met a frame, or came without one
	uint64_t frames = 0;

      private:
	Frame noise();

	Random random_;
	unsigned burst_left_ = 0;
	std::deque<std::optional<Frame>> under_way_;
};
