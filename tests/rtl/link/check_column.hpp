// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The bits of a check word that bit n of its word enters, the highest bit being bit 0: the definition of xt_link_check,
// place by place.
inline uint32_t check_column(unsigned n)
{
	static const unsigned first_turns[] = {0, 31, 7, 13, 0, 19}, second_turns[] = {24, 23, 27, 28, 16, 3};
	static const unsigned first_bits[][3] = {{0, 15, 29}, {14, 20, 27}, {0, 9, 28}, {6, 13, 29}};
	static const unsigned second_bits[][2] = {{19, 31}, {1, 7}, {20, 28}, {10, 22}};
	unsigned block = n / 45, first = (n + first_turns[block]) % 45, second = (n + second_turns[block]) % 45;
	uint32_t column = 0;

	for (unsigned bit : first_bits[block / 4 * 2 + first / 32]) {
		column ^= UINT32_C(1) << (first + bit) % 32;
	}
	for (unsigned bit : second_bits[block / 4 * 2 + second / 32]) {
		column ^= UINT32_C(1) << (second + bit) % 32;
	}
	return column;
}
