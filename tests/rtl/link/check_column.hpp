// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The bits of a check word that bit n of its word enters, the highest bit being bit 0: the definition of xt_link_check,
// place by place.
inline uint32_t check_column(unsigned n)
{
	static const unsigned first_turns[] = {0, 34, 39, 43, 0, 13}, second_turns[] = {29, 34, 3, 10, 38, 26};
	static const unsigned first_bits[][3] = {{0, 18, 23}, {0, 6, 13}, {0, 10, 27}, {1, 17, 27}};
	static const unsigned second_bits[][2] = {{19, 30}, {19, 25}, {4, 23}, {7, 22}};
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
