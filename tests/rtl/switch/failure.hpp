// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

// A test found the card wrong. The text names the cycle, the port and what was seen.
struct Failure : std::runtime_error {
	using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// For %llu.
inline unsigned long long as_ull(uint64_t x)
{
	return x;
}
