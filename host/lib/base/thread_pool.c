/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

unsigned xt_thread_count(unsigned wanted)
{
	cpu_set_t set;

	if (wanted == 0) {
		wanted = sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
	}
	return wanted < XT_MOST_THREADS ? wanted : XT_MOST_THREADS;
}

typedef struct {
	void (*work)(void *context, unsigned worker, uint32_t item);
	void (*step)(void *context, uint32_t done);
	void *context;
	uint32_t count;
	atomic_uint_fast64_t next, done;
} job_t;

typedef struct {
	job_t *job;
	unsigned number;
	pthread_t thread;
} worker_t;

static void *run(void *argument)
{
	worker_t *worker = argument;
	job_t *job = worker->job;
	uint64_t item;

	while ((item = atomic_fetch_add(&job->next, 1)) < job->count) {
		uint64_t done;

		job->work(job->context, worker->number, (uint32_t)item);
		done = atomic_fetch_add(&job->done, 1) + 1;
		if (worker->number == 0 && job->step) {
			job->step(job->context, (uint32_t)done);
		}
	}
	return NULL;
}

void xt_parallel(unsigned threads, uint32_t count, void (*work)(void *context, unsigned worker, uint32_t item),
	void (*step)(void *context, uint32_t done), void *context)
{
	job_t job = {.work = work, .step = step, .context = context, .count = count};
	worker_t worker[XT_MOST_THREADS];
	unsigned started = 1;

	for (unsigned i = 0; i < threads; i++) {
		worker[i] = (worker_t){.job = &job, .number = i};
	}
	while (started < threads && started < count &&
		pthread_create(&worker[started].thread, NULL, run, &worker[started]) == 0) {
		started++;
	}
	run(&worker[0]);
	for (unsigned i = 1; i < started; i++) {
		pthread_join(worker[i].thread, NULL);
	}
}
