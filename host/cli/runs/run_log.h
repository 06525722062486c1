/* SPDX-License-Identifier: Apache-2.0
 *
 * The packet log of a run. That of a run with checkpoints must be there after the program was killed, so it is written
 * as NAME.part until it is whole. */
#pragma once

#include "extorus/atomic_file.h"

/* Open if `stream` is not NULL; ends with xt_run_log_close. */
typedef struct {
	FILE *stream;
	xt_output_t *output; /* without checkpoints */
	const char *path;
} xt_run_log_t;

/* `path` NULL: none. `checkpoint`: from which the run goes on if it is there, or NULL; the log then has another name
 * until it is whole. */
int xt_run_log_open(xt_run_log_t *log, const char *path, const char *checkpoint, xt_diag_t *diag);
/* `status` of the run; returned if it failed. */
int xt_run_log_close(xt_run_log_t *log, int status, xt_diag_t *diag);
