/* SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"

#include <pthread.h>
#include <string.h>

#include "extorus/thread_pool.h"
#include "options/progress.h"
#include "runs_messages.h"

typedef struct {
	const xt_runs_t *what;
	uint32_t next, done; /* of the items */
	pthread_mutex_t lock, keeping;
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
	xt_progress_step(&runs->bar, (uint64_t)(1000.0 * done), UINT64_C(1000) * runs->what->count);
}

void xt_run_step(void *context, uint64_t done, uint64_t total)
{
	xt_run_watch_t *watch = context;
	runs_t *runs = watch->runs;

	if (xt_ranks_own(runs->what->ranks) == 0 && pthread_mutex_trylock(&runs->lock) == 0) {
		runs->worked[watch->thread] = total ? (double)done / (double)total : 0.0;
		show(runs);
		pthread_mutex_unlock(&runs->lock);
	}
}

static void fail(runs_t *runs, int status, const xt_diag_t *diag)
{
	pthread_mutex_lock(&runs->lock);
	if (status != XT_OK && runs->status == XT_OK) {
		runs->status = status;
		runs->diag = *diag;
	}
	pthread_mutex_unlock(&runs->lock);
}

/* The next item that nobody does; XT_RUNS_NONE: there is none. */
static uint32_t next_item(runs_t *runs)
{
	uint32_t item = XT_RUNS_NONE;

	pthread_mutex_lock(&runs->lock);
	if (runs->status == XT_OK && runs->next < runs->what->count) {
		item = runs->what->items[runs->next++];
	}
	pthread_mutex_unlock(&runs->lock);
	return item;
}

static void keep(runs_t *runs, uint32_t item, json_t *result)
{
	xt_diag_t diag = {""};
	int status;

	pthread_mutex_lock(&runs->keeping);
	status = runs->what->keep(runs->what->context, item, result, &diag);
	pthread_mutex_unlock(&runs->keeping);
	fail(runs, status, &diag);
	pthread_mutex_lock(&runs->lock);
	runs->done++;
	show(runs);
	pthread_mutex_unlock(&runs->lock);
}

static void do_one(void *context, unsigned thread, uint32_t number)
{
	runs_t *runs = context;
	xt_run_watch_t watch = {runs, thread};
	const uint32_t item = next_item(runs);
	json_t *result = NULL;
	xt_diag_t diag = {""};
	int status;

	(void)number;
	if (item == XT_RUNS_NONE) {
		return;
	}
	status = runs->what->one(runs->what->context, item, &watch, &result, &diag);
	pthread_mutex_lock(&runs->lock);
	runs->worked[thread] = 0.0;
	pthread_mutex_unlock(&runs->lock);
	if (status == XT_OK) {
		keep(runs, item, result);
	} else {
		fail(runs, status, &diag);
	}
}

/* ---------------------------------------------------------------- the first of several ranks */

/* Answers the others until each has said that it goes. */
static void *hand_out(void *context)
{
	runs_t *runs = context;
	xt_ranks_t *ranks = runs->what->ranks;

	for (unsigned left = xt_ranks_count(ranks) - 1; left > 0;) {
		xt_runs_message_t message;
		xt_diag_t diag = {""};
		int status = xt_runs_message_take(ranks, &message, &diag);

		if (status != XT_OK) {
			fail(runs, status, &diag);
			return NULL;
		}
		if (message.status != XT_OK) {
			(void)xt_fail(&diag, message.status, "rank %u: %.400s", message.from, message.diag.text);
			fail(runs, message.status, &diag);
		}
		if (message.result) {
			keep(runs, message.item, message.result);
		}
		if (message.goes) {
			left--;
		} else {
			fail(runs, xt_runs_item_send(ranks, &message, next_item(runs), &diag), &diag);
		}
	}
	return NULL;
}

static unsigned threads_of(const xt_runs_t *what)
{
	return xt_ranks_count(what->ranks) > 1 && !what->threads ? 1 : xt_thread_count(what->threads);
}

int xt_runs_do(const xt_runs_t *what, xt_diag_t *diag)
{
	runs_t runs = {.what = what};
	const int several = xt_ranks_count(what->ranks) > 1;
	pthread_t server;

	pthread_mutex_init(&runs.lock, NULL);
	pthread_mutex_init(&runs.keeping, NULL);
	xt_progress_begin(&runs.bar, what->what);
	if (several && pthread_create(&server, NULL, hand_out, &runs) != 0) {
		hand_out(&runs);
	} else {
		xt_parallel(threads_of(what), what->count, do_one, NULL, &runs);
		if (several) {
			pthread_join(server, NULL);
		}
	}
	xt_progress_end(&runs.bar);
	if (several) {
		xt_diag_t own = {""};

		fail(&runs, xt_runs_over_send(what->ranks, runs.status, &own), &own);
	}
	pthread_mutex_destroy(&runs.keeping);
	pthread_mutex_destroy(&runs.lock);
	if (runs.status != XT_OK && diag) {
		*diag = runs.diag;
	}
	return runs.status;
}

void xt_runs_dismiss(xt_ranks_t *ranks)
{
	xt_runs_t what = {.ranks = ranks};
	runs_t runs = {.what = &what};

	if (!ranks) {
		return;
	}
	pthread_mutex_init(&runs.lock, NULL);
	pthread_mutex_init(&runs.keeping, NULL);
	hand_out(&runs);
	(void)xt_runs_over_send(ranks, XT_OK, &runs.diag);
	pthread_mutex_destroy(&runs.keeping);
	pthread_mutex_destroy(&runs.lock);
}

/* ---------------------------------------------------------------- another one */

/* What a thread does until the first rank has no more for it. */
static void serve(void *context, unsigned thread, uint32_t number)
{
	runs_t *runs = context;
	const xt_runs_t *what = runs->what;
	xt_runs_message_t message = {.thread = number};
	xt_run_watch_t watch = {runs, thread};
	xt_diag_t diag = {""};
	int status;

	while ((status = xt_runs_message_send(what->ranks, &message, &diag)) == XT_OK &&
		(status = xt_runs_item_take(what->ranks, number, &message.item, &diag)) == XT_OK &&
		message.item != XT_RUNS_NONE) {
		message.status = what->one(what->context, message.item, &watch, &message.result, &message.diag);
	}
	fail(runs, status, &diag);
}

int xt_runs_serve(const xt_runs_t *what, int status, const xt_diag_t *diag)
{
	runs_t runs = {.what = what};
	const unsigned threads = threads_of(what);
	xt_runs_message_t last = {.goes = 1, .status = status, .diag = *diag};
	xt_diag_t own = {""};
	int over = XT_OK;

	pthread_mutex_init(&runs.lock, NULL);
	if (status == XT_OK) {
		xt_parallel(threads, threads, serve, NULL, &runs);
		last.status = runs.status;
		last.diag = runs.diag;
	}
	pthread_mutex_destroy(&runs.lock);
	status = xt_runs_message_send(what->ranks, &last, &own);
	status = status == XT_OK ? xt_runs_over_take(what->ranks, &over, &own) : status;
	return status == XT_OK ? over : status;
}
