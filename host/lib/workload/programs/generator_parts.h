/* SPDX-License-Identifier: Apache-2.0
 *
 * What the generators of applications share. A generator writes the programs of all ranks, call by call. */
#pragma once

#include "extorus/application.h"
#include "workload/build.h"

typedef struct {
	const xt_application_t *options;
	const char *name;               /* of the program, for messages */
	const char *problem, *problems; /* which one; those that there are, in words */
	uint32_t ranks;
	xt_workload_t *w;
	xt_program_t *programs; /* by rank */
	xt_diag_t *diag;
} xt_generator_t;

/* Each adds all events, or refuses what the program refuses. */
int xt_generate_cg(xt_generator_t *g);
int xt_generate_is(xt_generator_t *g);
int xt_generate_ft(xt_generator_t *g);
int xt_generate_lu(xt_generator_t *g);
int xt_generate_mg(xt_generator_t *g);
int xt_generate_graph500(xt_generator_t *g);
int xt_generate_random_access(xt_generator_t *g);
int xt_generate_ptrans(xt_generator_t *g);
int xt_generate_namd(xt_generator_t *g);
int xt_generate_training(xt_generator_t *g);

/* The problem's place in `names`, which ends with NULL. */
int xt_generator_problem(const xt_generator_t *g, const char *const *names, unsigned *index);
/* The class of a NAS benchmark: 0 S, 1 W, 2 A and so on. */
int xt_generator_nas_class(const xt_generator_t *g, unsigned *index);
static inline uint32_t xt_generator_rounds(const xt_generator_t *g, uint32_t usual)
{
	return g->options->rounds ? g->options->rounds : usual;
}

/* MPI_Sendrecv; also a receive posted before a send, with a wait for both. */
void xt_generator_swap(xt_generator_t *g, uint32_t rank, uint32_t to, uint64_t sent, uint32_t from, uint64_t received);
/* One of `parts` of an iteration's computation. */
void xt_generator_compute(xt_generator_t *g, uint32_t rank, uint64_t parts);
void xt_generator_compute_all(xt_generator_t *g, uint64_t parts);

/* Some ranks in the order of their communicator. */
typedef struct {
	const uint32_t *members; /* NULL: all ranks */
	uint32_t count;
} xt_group_t;

/* A collective of the group: `bytes` as in xt_collective_t, element a divisor of them, root rank 0 of the group. */
int xt_generator_collective(
	xt_generator_t *g, xt_group_t group, xt_collective_kind_t kind, uint64_t bytes, uint32_t element);
/* Of all ranks. */
int xt_generator_all(xt_generator_t *g, xt_collective_kind_t kind, uint64_t bytes, uint32_t element);
