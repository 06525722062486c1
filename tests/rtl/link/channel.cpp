// SPDX-License-Identifier: Apache-2.0
#include "channel.hpp"

Frame Channel::noise()
{
	Frame frame;

	for (uint32_t &word : frame) {
		word = static_cast<uint32_t>(random_.next());
	}
	frame[3] &= (1u << (frame_bits - 96)) - 1;
	return frame;
}

std::optional<Frame> Channel::cycle(const std::optional<Frame> &out, uint64_t now)
{
	std::optional<Frame> frame = out;

	frames += frame.has_value();
	if (burst_left_) {
		burst_left_--;
		faults += frame.has_value();
		if (frame) {
			frame = noise();
		}
	} else if (frame && random_.chance(burst)) {
		burst_left_ = random_.between(1, 40);
		faults++;
		frame = noise();
	} else if (frame && random_.chance(drop)) {
		faults++;
		frame.reset();
	} else if (frame && random_.chance(flip)) {
		faults++;
		for (unsigned n = random_.between(1, 3); n > 0; n--) {
			unsigned bit = random_.below(frame_bits);

			(*frame)[bit / 32] ^= 1u << (bit % 32);
		}
	} else if (random_.chance(garbage)) {
		faults++;
		frame = noise();
	}
	if (now >= dead_from && now < dead_until) {
		faults += frame.has_value();
		frame.reset();
	}
	while (under_way_.size() < latency) {
		under_way_.emplace_back();
	}
	under_way_.push_back(frame);
	frame = under_way_.front();
	under_way_.pop_front();
	return frame;
}
