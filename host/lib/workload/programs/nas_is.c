/* SPDX-License-Identifier: Apache-2.0
 *
 * NAS IS (NPB 3.4, IS/is.c). Sizes of buckets are summed over all ranks, then each rank says how many keys it has for
 * whom, and sends them. A key is the mean of four uniform numbers. How many keys fall into a bucket is taken as their
 * expectation, the same on all ranks: the program's own random numbers differ from it by their deviation. */
#include <inttypes.h>
#include <stdlib.h>

#include "generator_parts.h"

enum { KEY = 4, TESTED = 5, ROUNDS = 10, CLASSES = 7 };

/* Logarithms of the number of keys of all ranks and of buckets, and the least number of ranks. */
static const struct {
	unsigned keys, buckets;
	uint32_t least;
} classes[CLASSES] = {{16, 9, 1}, {20, 10, 1}, {23, 10, 1}, {25, 10, 1}, {27, 10, 1}, {31, 10, 4}, {35, 10, 64}};

static uint64_t fourth_power(uint64_t x)
{
	return x * x * x * x;
}

/* Of 2^log_keys keys those below the bucket, by the distribution of a sum of four uniform numbers, each of a quarter of
 * the buckets; log_keys is at most 4 * log_quarter. */
static uint64_t keys_below(unsigned log_keys, uint32_t bucket, unsigned log_quarter)
{
	uint64_t quarter = UINT64_C(1) << log_quarter, sum = fourth_power(bucket);

	sum -= bucket > quarter ? 4 * fourth_power(bucket - quarter) : 0;
	sum += bucket > 2 * quarter ? 6 * fourth_power(bucket - 2 * quarter) : 0;
	sum -= bucket > 3 * quarter ? 4 * fourth_power(bucket - 3 * quarter) : 0;
	return (sum >> (4 * log_quarter - log_keys)) / 24;
}

/* Keys that each rank sends to each: buckets go to rank 0 until all ranks together have its share there, and so on. */
static void share_keys(uint32_t ranks, unsigned log_keys, unsigned log_buckets, uint64_t *keys)
{
	uint64_t sent = 0;
	uint32_t to = 0;

	for (uint32_t bucket = 0; bucket < UINT32_C(1) << log_buckets; bucket++) {
		uint64_t below = keys_below(log_keys, bucket + 1, log_buckets - 2);

		if (ranks * below >= (to + UINT64_C(1)) << log_keys) {
			keys[to++] = below - sent;
			sent = below;
		}
	}
	while (to < ranks) {
		keys[to++] = 0;
	}
}

/* MPI_Alltoallv as in coll/tuned: pairwise. Nothing is sent where there are no keys. */
static void send_keys(xt_generator_t *g, const uint64_t *keys)
{
	for (uint32_t r = 0; r < g->ranks; r++) {
		for (uint32_t step = 1; step < g->ranks; step++) {
			uint32_t to = (r + step) % g->ranks, from = (r + g->ranks - step) % g->ranks;
			xt_program_t *p = &g->programs[r];
			uint32_t events[2] = {XT_NO_EVENT, XT_NO_EVENT};

			events[0] = keys[r] ? xt_program_recv(p, from, KEY * keys[r]) : XT_NO_EVENT;
			events[1] = keys[to] ? xt_program_send(p, to, KEY * keys[to]) : XT_NO_EVENT;
			xt_program_wait(p, events, 2);
		}
	}
}

static int write_all(xt_generator_t *g, unsigned buckets, const uint64_t *keys)
{
	int status = XT_OK;

	for (uint32_t i = 0; i < xt_generator_rounds(g, ROUNDS) && status == XT_OK; i++) {
		xt_generator_compute_all(g, 2);
		status = xt_generator_all(g, XT_COLLECTIVE_ALLREDUCE, KEY * ((UINT64_C(1) << buckets) + TESTED), KEY);
		if (status == XT_OK) {
			status = xt_generator_all(g, XT_COLLECTIVE_ALLTOALL, KEY, KEY);
		}
		send_keys(g, keys);
		xt_generator_compute_all(g, 2);
	}
	return status;
}

int xt_generate_is(xt_generator_t *g)
{
	unsigned index, log_ranks = 0;
	uint64_t *keys;
	int status = xt_generator_nas_class(g, &index);

	if (status != XT_OK || index >= CLASSES) {
		return status != XT_OK ? status
				       : xt_fail(g->diag, XT_ERR_INVALID, "%s has no class F; choose up to E", g->name);
	}
	while (UINT32_C(1) << log_ranks < g->ranks) {
		log_ranks++;
	}
	if (g->ranks < classes[index].least) {
		return xt_fail(g->diag, XT_ERR_RANGE,
			"%s: %" PRIu32 " ranks are too few for class %s; choose %" PRIu32 " or more", g->name, g->ranks,
			g->problem, classes[index].least);
	}
	keys = malloc(g->ranks * sizeof(*keys));
	if (!keys) {
		return XT_ERR_NOMEM;
	}
	share_keys(g->ranks, classes[index].keys - log_ranks, classes[index].buckets, keys);
	status = write_all(g, classes[index].buckets, keys);
	free(keys);
	return status;
}
