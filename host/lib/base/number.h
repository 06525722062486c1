/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal numbers in text, digits alone without sign or space; and the lesser of two numbers. */
#pragma once

#include <locale.h>
#include <stdint.h>

#include "extorus/error.h"

/* The number that *text begins with; *text is left behind it. XT_ERR_INVALID: there is none, or it is above `most`. */
int xt_number_take(const char **text, uint64_t most, uint64_t *value);
/* Likewise, and nothing may follow. */
int xt_number_parse(const char *text, uint64_t most, uint64_t *value);
/* The fraction that *text begins with, as 0.25 or 1e-3: finite, without sign. */
int xt_real_take(const char **text, double *value);

/* A program with this library may have set its locale. Files have a point in their fractions nevertheless: up to the
 * end of the block that says XT_POINT_IN_FRACTIONS, this thread writes numbers as C does. */
typedef struct {
	locale_t own, before;
} xt_locale_t;

xt_locale_t xt_locale_begin(void);
void xt_locale_end(xt_locale_t *locale);

#define XT_POINT_IN_FRACTIONS __attribute__((cleanup(xt_locale_end), unused)) xt_locale_t locale = xt_locale_begin()

static inline uint64_t xt_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
