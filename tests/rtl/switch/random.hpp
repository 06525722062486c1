// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// SplitMix64: also the hash from which payload is made.
inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

class Random
{
      public:
	explicit Random(uint64_t seed) : state_(mix(seed))
	{
	}
	uint64_t next()
	{
		state_ += 0x9e3779b97f4a7c15ull;
		return mix(state_);
	}
	// 0 .. bound-1; bound > 0
	unsigned below(unsigned bound)
	{
		return static_cast<unsigned>(((next() >> 32) * bound) >> 32);
	}
	// lowest .. highest
	unsigned between(unsigned lowest, unsigned highest)
	{
		return lowest + below(highest - lowest + 1);
	}
	bool chance(double probability)
	{
		return probability > 0 && static_cast<double>(next() >> 11) * 0x1p-53 < probability;
	}

      private:
	uint64_t state_;
};
