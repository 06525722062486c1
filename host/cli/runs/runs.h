/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs done side by side by threads, and by ranks of mpirun, with one bar for all of them. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "extorus/error.h"
#include "extorus/ranks.h"

/* How far the run is that a thread does. */
typedef struct xt_run_watch xt_run_watch_t;

/* An xt_progress_t whose context is the xt_run_watch_t. */
void xt_run_step(void *watch, uint64_t done, uint64_t total);

typedef struct {
	const char *what; /* for the bar */
	unsigned threads; /* 0: one per processor, or one in each of several ranks */
	uint32_t count;
	const uint32_t *items;
	/* Several at a time. *result goes to `keep`, which takes it over. */
	int (*one)(void *context, uint32_t item, xt_run_watch_t *watch, json_t **result, xt_diag_t *diag);
	/* One at a time. */
	int (*keep)(void *context, uint32_t item, json_t *result, xt_diag_t *diag);
	void *context;
	xt_ranks_t *ranks; /* NULL: this process does all */
} xt_runs_t;

/* Does all items. After one that fails no other is begun; what it returned and said is what xt_runs_do returns and
 * says. Of several ranks the first one hands out the items and keeps the results, and the others do xt_runs_serve. */
int xt_runs_do(const xt_runs_t *runs, xt_diag_t *diag);
/* Only `threads`, `one`, `context` and `ranks` matter. Returns what xt_runs_do does on the first rank. `status` that is
 * not XT_OK: this rank can do nothing, and *diag says why; the first one fails so. */
int xt_runs_serve(const xt_runs_t *runs, int status, const xt_diag_t *diag);
/* The first rank has nothing to do; the others learn of it. NULL is allowed. */
void xt_runs_dismiss(xt_ranks_t *ranks);
