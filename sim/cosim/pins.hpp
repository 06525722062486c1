// SPDX-License-Identifier: Apache-2.0
//
// Fields of the flat vectors at a Verilated model's ports, which are integers or word arrays by width.
#pragma once

#include <cstdint>
#include <cstring>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "port vectors are read as little-endian words");

// Copies field `index` of `Bits` bits from vector `from` to the words `to`, unused bits 0.
template <unsigned Bits, typename Vector> inline void getField(const Vector &from, unsigned index, uint32_t *to)
{
	const auto *bytes = reinterpret_cast<const unsigned char *>(&from);

	if constexpr (Bits % 32 == 0) {
		std::memcpy(to, bytes + index * (Bits / 8), Bits / 8);
	} else {
		for (unsigned b = 0; b < (Bits + 31) / 32 * 32; b++) {
			unsigned at = index * Bits + b;
			uint32_t bit = b < Bits ? bytes[at / 8] >> at % 8 & 1u : 0u;

			to[b / 32] = (to[b / 32] & ~(1u << b % 32)) | bit << b % 32;
		}
	}
}

template <unsigned Bits, typename Vector> inline void putField(Vector &to, unsigned index, const uint32_t *from)
{
	auto *bytes = reinterpret_cast<unsigned char *>(&to);

	if constexpr (Bits % 32 == 0) {
		std::memcpy(bytes + index * (Bits / 8), from, Bits / 8);
	} else {
		for (unsigned b = 0; b < Bits; b++) {
			unsigned at = index * Bits + b;
			unsigned bit = from[b / 32] >> b % 32 & 1u;

			bytes[at / 8] = static_cast<unsigned char>((bytes[at / 8] & ~(1u << at % 8)) | bit << at % 8);
		}
	}
}

// Smallest b with 1 << b >= value, at least 1: the width of a vector of numbers below `value`.
constexpr unsigned numberBits(unsigned value)
{
	unsigned bits = 1;

	while (1u << bits < value) {
		bits++;
	}
	return bits;
}
