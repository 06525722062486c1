/* SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"

#include <pthread.h>

#include "extorus/thread_pool.h"
#include "progress.h"

typedef struct {
	int (*one)(void *context, uint32_t item, xt_run_watch_t *watch, xt_diag_t *diag);
	void *context;
	uint32_t count, done;
	pthread_mutex_t lock;
	xt_progress_bar_t bar;
	double worked[XT_MOST_THREADS]; /* part of the run that a thread does */
	int status;                     /* of the first run that failed */
	xt_diag_t diag;
} runs_t;

struct xt_run_watch {
	runs_t *runs;
	unsigned thread;
};

static void show(runs_t *runs)
{
	double done = runs->done;

	for (unsigned i = 0; i < XT_MOST_THREADS; i++) {
		done += runs->worked[i];
	}
	xt_progress_step(&runs->bar, (uint64_t)(1000.0 * done), UINT64_C(1000) * runs->count);
}

void xt_run_step(void *context, uint64_t done, uint64_t total)
{
	xt_run_watch_t *watch = context;
	runs_t *runs = watch->runs;

	if (pthread_mutex_trylock(&runs->lock) == 0) {
		runs->worked[watch->thread] = total ? (double)done / (double)total : 0.0;
		show(runs);
		pthread_mutex_unlock(&runs->lock);
	}
}

static void do_one(void *context, unsigned thread, uint32_t item)
{
	runs_t *runs = context;
	xt_run_watch_t watch = {runs, thread};
	xt_diag_t diag = {""};
	int status;

	pthread_mutex_lock(&runs->lock);
	status = runs->status;
	pthread_mutex_unlock(&runs->lock);
	if (status != XT_OK) {
		return;
	}
	status = runs->one(runs->context, item, &watch, &diag);
	pthread_mutex_lock(&runs->lock);
	if (status != XT_OK && runs->status == XT_OK) {
		runs->status = status;
		runs->diag = diag;
	}
	runs->worked[thread] = 0.0;
	runs->done++;
	show(runs);
	pthread_mutex_unlock(&runs->lock);
}

int xt_runs_do(const char *what, unsigned threads, uint32_t count,
	int (*one)(void *context, uint32_t item, xt_run_watch_t *watch, xt_diag_t *diag), void *context,
	xt_diag_t *diag)
{
	runs_t runs = {.one = one, .context = context, .count = count};

	pthread_mutex_init(&runs.lock, NULL);
	xt_progress_begin(&runs.bar, what);
	xt_parallel(xt_thread_count(threads), count, do_one, NULL, &runs);
	xt_progress_end(&runs.bar);
	pthread_mutex_destroy(&runs.lock);
	if (runs.status != XT_OK && diag) {
		*diag = runs.diag;
	}
	return runs.status;
}
