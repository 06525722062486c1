// SPDX-License-Identifier: Apache-2.0
//
// Transmission errors of one directed link, the same for the same seed.
#pragma once

#include <cstdint>

#include "extorus/random.h"
#include "pin_frame.hpp"

class LinkErrors
{
      public:
	// `link` numbers the directed links of a network: each has errors of its own.
	void seed(uint64_t seed, uint64_t link)
	{
		xt_random_seed(&random_, seed, link);
		burst_end_ = 0;
	}

	// What the link does to the frame of a cycle; `rate` is the chance of an error. With equal chances 1 to 3 bits
	// flip, the frame is lost, or it meets a burst: up to 32 consecutive bits are garbage, and one burst in four
	// lasts for 1 to 4 cycles more. A burst has an end in time, so that it ends while a link is idle.
	// False: the frame is lost.
	bool pass(double rate, uint64_t cycle, Frame &frame)
	{
		if (cycle < burst_end_) {
			errors_++;
			garble(frame);
			return true;
		}
		if (xt_random_unit(&random_) >= rate) {
			return true;
		}
		errors_++;
		switch (below(3)) {
		case 0:
			for (unsigned flips = 1 + below(3); flips; flips--) {
				frame.flip(below(Frame::Bits));
			}
			return true;
		case 1:
			return false;
		default:
			garble(frame);
			if (below(4) == 0) {
				burst_end_ = cycle + 2 + below(4);
			}
			return true;
		}
	}

	// Frames that met an error since the last seed.
	uint64_t takeErrors()
	{
		uint64_t errors = errors_;

		errors_ = 0;
		return errors;
	}

      private:
	unsigned below(unsigned n)
	{
		return xt_random_below(&random_, n);
	}
	// The first and the last bit of a burst are wrong, those between them by chance.
	void garble(Frame &frame)
	{
		unsigned length = 1 + below(Frame::Bits < 32 ? Frame::Bits : 32);
		unsigned first = below(Frame::Bits - length + 1);
		uint32_t garbage = static_cast<uint32_t>(xt_random_next(&random_)) | 1u | 1u << (length - 1);

		for (unsigned b = 0; b < length; b++) {
			if (garbage >> b & 1) {
				frame.flip(first + b);
			}
		}
	}

	xt_random_t random_{};
	uint64_t burst_end_ = 0; // first cycle after the last burst
	uint64_t errors_ = 0;
};
