/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws from a discrete distribution in constant time: A. J. Walker's alias method (ACM Transactions on Mathematical
 * Software 3, 1977), the table built as in M. D. Vose (IEEE Transactions on Software Engineering 17, 1991). */
#pragma once

#include <stdint.h>

#include "extorus/random.h"

/* A column keeps its own index with the chance `keep`, and gives `other` otherwise. */
typedef struct {
	double keep;
	uint32_t other;
} xt_alias_t;

/* Fills table[0 .. n-1] for the weights, which are finite, not negative, and not all 0; n is not 0. XT_ERR_NOMEM. */
int xt_alias_build(const double *weights, uint32_t n, xt_alias_t *table);

/* An index below n with a chance like its weight. */
static inline uint32_t xt_alias_draw(const xt_alias_t *table, uint32_t n, xt_random_t *random)
{
	uint32_t column = xt_random_below(random, n);

	return xt_random_unit(random) < table[column].keep ? column : table[column].other;
}
