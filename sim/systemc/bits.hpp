// SPDX-License-Identifier: Apache-2.0
//
// Numbers of up to 64 bits within words, least significant word first.
#pragma once

#include <algorithm>
#include <cstdint>

namespace extorus
{

// Calls f(word, its first bit, number's first bit, bits) for each word that has part of the number.
template <typename F> inline void forEachPart(unsigned lsb, unsigned bits, F f)
{
	for (unsigned done = 0; done < bits;) {
		const unsigned at = lsb + done, part = std::min(bits - done, 32 - at % 32);

		f(at / 32, at % 32, done, part);
		done += part;
	}
}

inline uint64_t getBits(const uint32_t *words, unsigned lsb, unsigned bits)
{
	uint64_t value = 0;

	forEachPart(lsb, bits, [&](unsigned word, unsigned first, unsigned done, unsigned part) {
		value |= (words[word] >> first & ((uint64_t{1} << part) - 1)) << done;
	});
	return value;
}

inline void putBits(uint32_t *words, unsigned lsb, unsigned bits, uint64_t value)
{
	forEachPart(lsb, bits, [&](unsigned word, unsigned first, unsigned done, unsigned part) {
		const uint64_t mask = ((uint64_t{1} << part) - 1) << first;

		words[word] = static_cast<uint32_t>((words[word] & ~mask) | (value >> done << first & mask));
	});
}

} // namespace extorus
