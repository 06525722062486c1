/* SPDX-License-Identifier: Apache-2.0
 *
 * Captured runs of MPI programs: the files that libextorus-capture.so writes, a file for each rank, become one
 * workload.
 */
#ifndef EXTORUS_WORKLOAD_MERGE_H
#define EXTORUS_WORKLOAD_MERGE_H

#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/workload.h"

XT_BEGIN_C

/* What of the run is not in the workload as MPI did it. */
typedef struct {
	uint64_t messages; /* of the program's own sends */
	uint64_t collectives;
	uint64_t unreceived;  /* messages that nobody received; each has a receive that nothing waits for */
	uint64_t unsent;      /* receives without a message: cancelled, or the run ended before; left out */
	uint64_t incomplete;  /* collectives that not all of their ranks began; left out */
	uint64_t unsupported; /* collectives between two groups; left out */
	uint32_t killed;      /* ranks that ended without MPI_Finalize */
} xt_merge_report_t;

/* `folder` has files 0, 1, 2 ... for the ranks. Collectives become messages by the rules. Only the first
 * `records` lines of each rank are read, or, with 0, all. *out is freed with xt_workload_free. */
XT_API int xt_workload_merge(const char *folder, xt_rules_t rules, uint32_t records, xt_workload_t **out,
	xt_merge_report_t *report, xt_diag_t *diag);
/* A line for each number that is not 0, from `unreceived` on; for the user. */
XT_API void xt_merge_report_print(const xt_merge_report_t *report, FILE *out);

XT_END_C
#endif
