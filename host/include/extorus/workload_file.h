/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads in files: VEF traces and GOAL schedules, both text, and execution traces of Chakra. The readers refuse what
 * is wrong with NAME:LINE. */
#ifndef EXTORUS_WORKLOAD_FILE_H
#define EXTORUS_WORKLOAD_FILE_H

#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/workload.h"

XT_BEGIN_C

typedef enum {
	XT_FORMAT_VEF,
	XT_FORMAT_GOAL,
} xt_workload_format_t;

/* VEF as its authors define the format, and GOAL as LogGOPSim defines the language; host/lib/workload/formats/VEF.md
 * and GOAL.md have both definitions, and what differs. A collective becomes the messages that xt_collective_create
 * makes of it.
 *
 * `name` stands for the file in messages. *out is freed with xt_workload_free. */
XT_API int xt_workload_read(
	FILE *file, const char *name, xt_workload_format_t format, xt_workload_t **out, xt_diag_t *diag);
/* The format by the name's end, .vef or .goal, before .gz, or else by the first line. Reads what gzip has compressed.
 * NAME.RANK.et is an execution trace of MLCommons Chakra, read with the files of all ranks
 * (host/lib/workload/formats/CHAKRA.md).
 */
XT_API int xt_workload_load(const char *path, xt_workload_t **out, xt_diag_t *diag);

/* GOAL holds every workload; line by line, labels are l1, l2 ... in each rank. */
XT_API int xt_workload_write_goal(const xt_workload_t *workload, FILE *out, xt_diag_t *diag);
/* VEF has one dependency for each message, and none for a receive; computations become times. With `less` NULL,
 * XT_ERR_UNSUPPORTED if that is not enough. Otherwise a message that waits for several things waits for one of them,
 * the receive that comes last in the program or, without one, the send, and *less grows by the messages of which
 * something was left out. */
XT_API int xt_workload_write_vef(const xt_workload_t *workload, FILE *out, uint64_t *less, xt_diag_t *diag);

/* ---------------------------------------------------------------- made-up traces */

typedef enum {
	XT_MADE_RANDOM, /* each rank sends `rounds` messages to ranks drawn at random, each answered */
	XT_MADE_HALO,  /* a grid in 3D: every round a face to each of the six neighbours, then all six are waited for */
	XT_MADE_FFT,   /* a grid of ranks in 2D: every round a transpose along rows, then one along columns */
	XT_MADE_GRAPH, /* a search from rank 0: levels; those reached send to ranks drawn at random, more at the middle
			*/
	XT_MADE_KINDS,
} xt_made_kind_t;

typedef struct {
	xt_made_kind_t kind;
	uint32_t ranks, rounds;
	uint64_t bytes;      /* of a message */
	uint64_t compute_ns; /* of a rank between rounds */
	uint64_t seed;
} xt_made_t;

/* "random", "halo", "fft", "graph". */
XT_API int xt_made_parse(const char *text, xt_made_kind_t *kind, xt_diag_t *diag);
XT_API int xt_workload_make(const xt_made_t *made, xt_workload_t **out, xt_diag_t *diag);

XT_END_C
#endif
