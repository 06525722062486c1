// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <argp.h>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// The number of an option: digits alone. Otherwise a usage error, in the words of the command's options.
inline uint64_t numberArgument(
	const argp_state *state, const char *option, const char *text, uint64_t least, uint64_t most)
{
	errno = 0;
	const uint64_t value = strtoull(text, nullptr, 10);

	if (!*text || text[strspn(text, "0123456789")] || errno || value < least || value > most) {
		argp_error(state, "--%s: \"%.80s\" is not a number from %" PRIu64 " to %" PRIu64, option, text, least,
			most);
	}
	return value;
}
