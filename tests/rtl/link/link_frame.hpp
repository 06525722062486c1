// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "check_column.hpp"

// The shape of xt_link by its default parameters: 2 VCs, 32-bit cells, packets of 1 .. 8 cells, 64 cells
// of replay buffer and 64 of input buffer.
constexpr unsigned vc_count = 2;
constexpr unsigned packet_cells = 8;
constexpr unsigned buffer_cells = 64;
constexpr unsigned length_lsb = 16;
constexpr unsigned body_bits = 69; // what the check word covers
constexpr unsigned frame_bits = body_bits + 32;

enum class Ctrl : unsigned { normal, train, heard, down };
enum class State : unsigned { train, up, down };
enum class Cause : unsigned { none, retries, remote, no_signal, disabled };

using Frame = std::array<uint32_t, 4>;

inline unsigned frame_bit(const Frame &frame, unsigned bit)
{
	return frame[bit / 32] >> (bit % 32) & 1;
}

inline Ctrl frame_ctrl(const Frame &frame)
{
	return static_cast<Ctrl>(frame[0] & 3);
}

inline bool has_cell(const Frame &frame)
{
	return frame_ctrl(frame) == Ctrl::normal && frame_bit(frame, 2);
}

inline bool check_is_right(const Frame &frame)
{
	uint32_t check = UINT32_C(0xffff), sent = 0;

	for (unsigned n = 0; n < body_bits; n++) {
		check ^= frame_bit(frame, body_bits - 1 - n) ? check_column(n) : 0;
	}
	for (unsigned i = 0; i < 32; i++) {
		sent |= static_cast<uint32_t>(frame_bit(frame, body_bits + i)) << i;
	}
	return check == sent;
}
