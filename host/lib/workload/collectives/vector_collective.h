/* SPDX-License-Identifier: Apache-2.0
 *
 * Collectives whose blocks differ in size. */
#pragma once

#include "workload/build.h"

typedef struct {
	xt_collective_kind_t kind; /* gather, scatter, allgather or alltoall */
	uint32_t ranks, root;
	/* [rank]: bytes of its block; of an alltoall the bytes that it sends, which it divides among all ranks. */
	const uint64_t *bytes;
} xt_vector_collective_t;

/* The events, by the algorithms of Open MPI for vectors: linear gather and scatter, ring allgather, pairwise alltoall.
 * *out is freed with xt_workload_free. */
int xt_vector_create(const xt_vector_collective_t *v, xt_workload_t **out, xt_diag_t *diag);
