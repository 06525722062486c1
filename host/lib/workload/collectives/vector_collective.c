/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_collective.h"

#include <stdlib.h>

/* The block of an alltoall: the first ones get what cannot be divided. */
static uint64_t share(const xt_vector_collective_t *v, uint32_t from, uint32_t to)
{
	return v->bytes[from] / v->ranks + (to < v->bytes[from] % v->ranks);
}

/* The root's side is begun at once for all ranks; empty blocks are not sent. */
static void linear(const xt_vector_collective_t *v, xt_workload_t *w, uint32_t *begun)
{
	for (uint32_t r = 0; r < v->ranks; r++) {
		xt_program_t p = xt_program_begin(w, r);
		uint32_t count = 0;

		for (uint32_t other = 0; r == v->root && other < v->ranks; other++) {
			if (other != r && v->bytes[other]) {
				begun[count++] = v->kind == XT_COLLECTIVE_GATHER
							 ? xt_program_recv(&p, other, v->bytes[other])
							 : xt_program_send(&p, other, v->bytes[other]);
			}
		}
		if (r != v->root && v->bytes[r]) {
			begun[count++] = v->kind == XT_COLLECTIVE_GATHER ? xt_program_send(&p, v->root, v->bytes[r])
									 : xt_program_recv(&p, v->root, v->bytes[r]);
		}
		xt_program_wait(&p, begun, count);
	}
}

/* Each rank passes on the block that it got last. */
static void ring(const xt_vector_collective_t *v, xt_workload_t *w)
{
	uint32_t n = v->ranks;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t p = xt_program_begin(w, r);

		for (uint32_t i = 0; i + 1 < n; i++) {
			uint32_t received = xt_program_recv(&p, (r + n - 1) % n, v->bytes[(r + 2 * n - 1 - i) % n]);

			xt_program_wait_both(&p, received, xt_program_send(&p, (r + 1) % n, v->bytes[(r + n - i) % n]));
		}
	}
}

static void pairwise(const xt_vector_collective_t *v, xt_workload_t *w)
{
	uint32_t n = v->ranks;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t p = xt_program_begin(w, r);

		for (uint32_t step = 1; step < n; step++) {
			uint32_t from = (r + n - step) % n, to = (r + step) % n;
			uint32_t received = xt_program_recv(&p, from, share(v, from, r));

			xt_program_wait_both(&p, received, xt_program_send(&p, to, share(v, r, to)));
		}
	}
}

int xt_vector_create(const xt_vector_collective_t *v, xt_workload_t **out, xt_diag_t *diag)
{
	xt_workload_t *w = xt_workload_create(v->ranks);
	uint32_t *begun = malloc(v->ranks * sizeof(*begun));
	int status;

	*out = NULL;
	if (!w || !begun) {
		free(begun);
		xt_workload_free(w);
		return xt_fail(diag, XT_ERR_NOMEM, "collective: out of memory");
	}
	if (v->kind == XT_COLLECTIVE_ALLGATHER) {
		ring(v, w);
	} else if (v->kind == XT_COLLECTIVE_ALLTOALL) {
		pairwise(v, w);
	} else {
		linear(v, w, begun);
	}
	free(begun);
	status = xt_workload_finish(w, "collective", diag);
	if (status != XT_OK) {
		xt_workload_free(w);
		return status;
	}
	*out = w;
	return XT_OK;
}
