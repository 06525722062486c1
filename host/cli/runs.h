/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs done side by side by threads, with one bar for all of them. */
#pragma once

#include <stdint.h>

#include "extorus/error.h"

/* How far the run is that a thread does. */
typedef struct xt_run_watch xt_run_watch_t;

/* An xt_progress_t whose context is the xt_run_watch_t. */
void xt_run_step(void *watch, uint64_t done, uint64_t total);

/* Calls one(context, item, ...) for each item below `count`, several at a time. After one that fails no other is begun;
 * what it returned and said is what xt_runs_do returns and says. `threads`: 0: one per processor. */
int xt_runs_do(const char *what, unsigned threads, uint32_t count,
	int (*one)(void *context, uint32_t item, xt_run_watch_t *watch, xt_diag_t *diag), void *context,
	xt_diag_t *diag);
