/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal numbers in text, digits alone without sign or space; and the lesser of two numbers. */
#pragma once

#include <stdint.h>

#include "extorus/error.h"

/* The number that *text begins with; *text is left behind it. XT_ERR_INVALID: there is none, or it is above `most`. */
int xt_number_take(const char **text, uint64_t most, uint64_t *value);
/* Likewise, and nothing may follow. */
int xt_number_parse(const char *text, uint64_t most, uint64_t *value);
/* The fraction that *text begins with, as 0.25 or 1e-3: finite, without sign. */
int xt_real_take(const char **text, double *value);

static inline uint64_t xt_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
