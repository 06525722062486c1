/* SPDX-License-Identifier: Apache-2.0 */
#include "zipf_ranks.h"

#include <math.h>
#include <stdlib.h>

#include "base/alias_table.h"
#include "extorus/error.h"

enum { ROUNDS = 4 };

struct xt_zipf {
	uint32_t pes, ranks; /* ranks: of all PEs, or per source of the others */
	double *weight;      /* [rank] */
	double weight_sum;
	xt_alias_t *alias;  /* [rank] */
	uint32_t *by_rank;  /* common: the PE of each rank */
	uint32_t *rank_of;  /* common: [pe] */
	uint64_t *key;      /* per source: [pe], of its order */
	unsigned half_bits; /* per source: of the halves of a number below `ranks` */
};

/* Streams of random numbers that no PE has: the first orders all PEs, those behind it are of the sources. */
static const uint64_t rank_stream = UINT64_C(1) << 32;

/* Per source an order would need a table of pes * pes: a Feistel network on the numbers below a power of 4 gives it
 * instead. A result that is no rank goes through again, so that the ranks are permuted among themselves. */
static uint32_t round_of(const xt_zipf_t *z, uint64_t key, unsigned round, uint32_t half)
{
	return (uint32_t)(xt_mix64(key ^ ((uint64_t)round << 32 | half)) & ((1u << z->half_bits) - 1));
}

static uint32_t place_of_rank(const xt_zipf_t *z, uint64_t key, uint32_t rank)
{
	do {
		uint32_t left = rank >> z->half_bits, right = rank & ((1u << z->half_bits) - 1);

		for (unsigned round = 0; round < ROUNDS; round++) {
			uint32_t next = left ^ round_of(z, key, round, right);

			left = right;
			right = next;
		}
		rank = left << z->half_bits | right;
	} while (rank >= z->ranks);
	return rank;
}

static uint32_t rank_of_place(const xt_zipf_t *z, uint64_t key, uint32_t place)
{
	do {
		uint32_t left = place >> z->half_bits, right = place & ((1u << z->half_bits) - 1);

		for (unsigned round = ROUNDS; round-- > 0;) {
			uint32_t before = right ^ round_of(z, key, round, left);

			right = left;
			left = before;
		}
		place = left << z->half_bits | right;
	} while (place >= z->ranks);
	return place;
}

static int order_common(xt_zipf_t *z, uint64_t seed)
{
	xt_random_t random;

	z->by_rank = calloc(z->pes, sizeof(*z->by_rank));
	z->rank_of = calloc(z->pes, sizeof(*z->rank_of));
	if (!z->by_rank || !z->rank_of) {
		return 0;
	}
	xt_random_seed(&random, seed, rank_stream);
	for (uint32_t r = 0; r < z->pes; r++) {
		uint32_t other = xt_random_below(&random, r + 1);

		z->by_rank[r] = z->by_rank[other];
		z->by_rank[other] = r;
	}
	for (uint32_t r = 0; r < z->pes; r++) {
		z->rank_of[z->by_rank[r]] = r;
	}
	return 1;
}

static int order_per_source(xt_zipf_t *z, uint64_t seed)
{
	z->half_bits = 1;
	while (z->ranks > 1u << 2 * z->half_bits) {
		z->half_bits++;
	}
	if (!(z->key = calloc(z->pes, sizeof(*z->key)))) {
		return 0;
	}
	for (uint32_t pe = 0; pe < z->pes; pe++) {
		xt_random_t random;

		xt_random_seed(&random, seed, rank_stream + 1 + pe);
		z->key[pe] = xt_random_next(&random);
	}
	return 1;
}

xt_zipf_t *xt_zipf_create(uint32_t pes, double exponent, uint64_t seed, int per_source)
{
	xt_zipf_t *z = calloc(1, sizeof(*z));

	if (!z) {
		return NULL;
	}
	z->pes = pes;
	z->ranks = pes - (per_source ? 1 : 0);
	z->weight = calloc(z->ranks, sizeof(*z->weight));
	z->alias = calloc(z->ranks, sizeof(*z->alias));
	if (!z->weight || !z->alias || !(per_source ? order_per_source(z, seed) : order_common(z, seed))) {
		xt_zipf_free(z);
		return NULL;
	}
	for (uint32_t r = 0; r < z->ranks; r++) {
		z->weight[r] = pow(r + 1.0, -exponent);
		z->weight_sum += z->weight[r];
	}
	if (xt_alias_build(z->weight, z->ranks, z->alias) != XT_OK) {
		xt_zipf_free(z);
		return NULL;
	}
	return z;
}

void xt_zipf_free(xt_zipf_t *z)
{
	if (z) {
		free(z->weight);
		free(z->alias);
		free(z->by_rank);
		free(z->rank_of);
		free(z->key);
		free(z);
	}
}

/* The common order draws the PE itself too: with the exponent 8 the one of rank 1 after 245 draws on average gets
 * another, all others after at most two. */
uint32_t xt_zipf_draw(const xt_zipf_t *z, xt_random_t *random, uint32_t pe)
{
	uint32_t dest;

	if (z->key) {
		dest = place_of_rank(z, z->key[pe], xt_alias_draw(z->alias, z->ranks, random));
		return dest + (dest >= pe);
	}
	do {
		dest = z->by_rank[xt_alias_draw(z->alias, z->ranks, random)];
	} while (dest == pe);
	return dest;
}

double xt_zipf_chance(const xt_zipf_t *z, uint32_t pe, uint32_t dest)
{
	if (z->key) {
		return z->weight[rank_of_place(z, z->key[pe], dest - (dest > pe))] / z->weight_sum;
	}
	return z->weight[z->rank_of[dest]] / (z->weight_sum - z->weight[z->rank_of[pe]]);
}
