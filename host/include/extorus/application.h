/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads with the communication of published programs, in their timed part. Messages are those of the program, call
 * by call; collectives become messages as in xt_collective_create. The source is named with each program, and what is
 * left out in the head of its file in host/lib/workload. */
#ifndef EXTORUS_APPLICATION_H
#define EXTORUS_APPLICATION_H

#include <stdint.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/workload.h"

XT_BEGIN_C

typedef enum {
	/* NAS Parallel Benchmarks 3.4, MPI: conjugate gradients (CG/cg.f), sorting (IS/is.c), Fourier transform in 3D
	 * (FT/ft.f), wavefronts (LU/ssor.f), multigrid (MG/mg.f). */
	XT_APPLICATION_CG,
	XT_APPLICATION_IS,
	XT_APPLICATION_FT,
	XT_APPLICATION_LU,
	XT_APPLICATION_MG,
	/* Graph500 2.1.4: breadth-first search with a bitmap on every rank, by allreduce and allgather alone
	 * (mpi/bfs_replicated_csc.c). */
	XT_APPLICATION_GRAPH500,
	/* HPC Challenge 1.5: updates of a distributed table (RandomAccess/MPIRandomAccess.c), transposition of a
	 * matrix in blocks (PTRANS/pdtrans.c). */
	XT_APPLICATION_RANDOM_ACCESS,
	XT_APPLICATION_PTRANS,
	/* Phillips et al., Scalable molecular dynamics with NAMD, 2005: patches of space and their 26 neighbours. */
	XT_APPLICATION_NAMD,
	/* Narayanan et al., Megatron-LM, SC 2021: data-parallel allreduce, tensor-parallel allreduce, a pipeline; and
	 * Lepikhin et al., GShard, 2020: expert-parallel alltoall. */
	XT_APPLICATION_TRAINING,
	XT_APPLICATIONS,
} xt_application_kind_t;

enum { XT_MAX_APPLICATION_RANKS = 4096 };

typedef struct {
	xt_application_kind_t kind;
	uint32_t ranks;      /* 1 to XT_MAX_APPLICATION_RANKS; CG, IS, FT and MG: a power of two */
	const char *problem; /* the class or size; NULL: the first of xt_application_problems */
	uint32_t rounds;     /* iterations; 0: as many as the program has */
	uint64_t compute_ns; /* of a rank in an iteration, in equal parts between its messages, rounded down;
			      * randomaccess: by the updates drawn, of which an iteration has 1,024 */
	xt_rules_t rules;    /* of the collectives */
	/* Training: ranks of a tensor-parallel group and stages of the pipeline, 0: as published; ranks of an
	 * expert-parallel group, 0: no experts; micro-batches of a pipeline, 0: as many as stages. */
	uint32_t tensor, pipeline, expert, micro_batches;
	uint32_t levels; /* graph500: of a search; 0: seven */
} xt_application_t;

/* "cg", "is", "ft", "lu", "mg", "graph500", "randomaccess", "ptrans", "namd", "training"; XT_ERR_INVALID names those
 * that there are. */
XT_API int xt_application_parse(const char *text, xt_application_kind_t *kind, xt_diag_t *diag);
/* What `problem` can be, in words. */
XT_API const char *xt_application_problems(xt_application_kind_t kind);
/* The timed part of the program. XT_ERR_INVALID or XT_ERR_RANGE if the program does not run with this number of ranks
 * and this size. *out is freed with xt_workload_free. Memory: about 100 bytes for each message. */
XT_API int xt_application_create(const xt_application_t *application, xt_workload_t **out, xt_diag_t *diag);

XT_END_C
#endif
