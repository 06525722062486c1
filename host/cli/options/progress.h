/* SPDX-License-Identifier: Apache-2.0
 *
 * A bar, or a clock where the end is not known, for what takes longer than two seconds; on a terminal only. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	const char *what;
	double start; /* xt_now_s */
	int terminal; /* standard error is one */
	int shown;    /* tenths of a percent that the bar shows, or -1 */
} xt_progress_bar_t;

void xt_progress_begin(xt_progress_bar_t *bar, const char *what);
/* An xt_progress_t whose context is the bar. */
void xt_progress_step(void *context, uint64_t done, uint64_t total);
/* Removes the bar. */
void xt_progress_end(xt_progress_bar_t *bar);

/* Says each second how long the work has taken. Nothing else may be written to the terminal meanwhile. */
typedef struct {
	const char *what;
	bool runs; /* the thread does */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool end; /* under the lock */
} xt_clock_t;

void xt_clock_begin(xt_clock_t *clock, const char *what);
/* Removes the line. */
void xt_clock_end(xt_clock_t *clock);
