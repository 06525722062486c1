/* SPDX-License-Identifier: Apache-2.0
 *
 * A bar for what takes longer than two seconds, on a terminal only. */
#ifndef EXTORUS_PROGRESS_H
#define EXTORUS_PROGRESS_H

#include <stdint.h>
#include <time.h>

typedef struct {
	const char *what;
	struct timespec start;
	int terminal; /* standard error is one */
	int shown;    /* tenths of a percent that the bar shows, or -1 */
} xt_progress_bar_t;

void xt_progress_begin(xt_progress_bar_t *bar, const char *what);
/* An xt_progress_t whose context is the bar. */
void xt_progress_step(void *context, uint64_t done, uint64_t total);
/* Removes the bar. */
void xt_progress_end(xt_progress_bar_t *bar);

#endif
