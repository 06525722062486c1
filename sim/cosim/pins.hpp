// SPDX-License-Identifier: Apache-2.0
//
// Fields of the flat vectors at a Verilated model's ports, which are integers or word arrays by width.
#pragma once

#include <cstdint>
#include <cstring>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "port vectors are read as little-endian words");

// The 64 bits of a vector from word `word` on; what lies beyond its end is 0.
template <typename Vector> inline uint64_t loadPair(const Vector &from, unsigned word)
{
	constexpr unsigned Size = sizeof(Vector);
	const auto *bytes = reinterpret_cast<const unsigned char *>(&from);
	uint64_t pair = 0;

	if constexpr (Size < 8) {
		std::memcpy(&pair, bytes, Size);
	} else if (4 * word + 8 <= Size) {
		std::memcpy(&pair, bytes + 4 * word, 8);
	} else {
		std::memcpy(&pair, bytes + 4 * word, 4);
	}
	return pair;
}

template <typename Vector> inline void storePair(Vector &to, unsigned word, uint64_t pair)
{
	constexpr unsigned Size = sizeof(Vector);
	auto *bytes = reinterpret_cast<unsigned char *>(&to);

	if constexpr (Size < 8) {
		std::memcpy(bytes, &pair, Size);
	} else if (4 * word + 8 <= Size) {
		std::memcpy(bytes + 4 * word, &pair, 8);
	} else {
		std::memcpy(bytes + 4 * word, &pair, 4);
	}
}

// Copies field `index` of `Bits` bits from vector `from` to the words `to`, unused bits 0.
template <unsigned Bits, typename Vector> inline void getField(const Vector &from, unsigned index, uint32_t *to)
{
	for (unsigned done = 0; done < Bits; done += 32) {
		unsigned at = index * Bits + done, size = Bits - done < 32 ? Bits - done : 32;
		uint64_t mask = (uint64_t{1} << size) - 1;

		to[done / 32] = static_cast<uint32_t>(loadPair(from, at / 32) >> at % 32 & mask);
	}
}

template <unsigned Bits, typename Vector> inline void putField(Vector &to, unsigned index, const uint32_t *from)
{
	for (unsigned done = 0; done < Bits; done += 32) {
		unsigned at = index * Bits + done, size = Bits - done < 32 ? Bits - done : 32;
		uint64_t mask = ((uint64_t{1} << size) - 1) << at % 32;
		uint64_t value = static_cast<uint64_t>(from[done / 32]) << at % 32;

		storePair(to, at / 32, (loadPair(to, at / 32) & ~mask) | (value & mask));
	}
}
