/* SPDX-License-Identifier: Apache-2.0
 *
 * Zipf's law: the destination of rank r, from 1, with a probability like 1 / r^exponent. Either each source ranks the
 * others in an order of its own, or all rank the PEs alike. */
#pragma once

#include <stdint.h>

#include "extorus/random.h"

typedef struct xt_zipf xt_zipf_t;

/* The seed gives the orders. NULL when out of memory. */
xt_zipf_t *xt_zipf_create(uint32_t pes, double exponent, uint64_t seed, int per_source);
void xt_zipf_free(xt_zipf_t *zipf); /* NULL is allowed */
/* A destination other than `pe`. */
uint32_t xt_zipf_draw(const xt_zipf_t *zipf, xt_random_t *random, uint32_t pe);
/* How likely one is, `dest` not being `pe`. */
double xt_zipf_chance(const xt_zipf_t *zipf, uint32_t pe, uint32_t dest);
