/* SPDX-License-Identifier: Apache-2.0 */
#include "worker_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "spin_pause.h"

enum { AWAKE_SPINS = 4000 }; /* some tens of microseconds */

typedef struct {
	xt_worker_pool_t *pool;
	unsigned number;
	pthread_t thread;
} worker_t;

struct xt_worker_pool {
	unsigned threads, started, items;
	void (*work)(void *context, unsigned item);
	void *context;
	worker_t *workers;
	atomic_uint *taken; /* by item: the round in which somebody took it last */
	_Alignas(64) atomic_uint round;
	atomic_uint left; /* items of the round that are not done */
	atomic_uint sleepers;
	atomic_int over;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* `round`, `left` or `over` */
};

static void wake_sleepers(xt_worker_pool_t *pool)
{
	/* Who sleeps has said so before the last look at what has changed now. */
	if (atomic_load(&pool->sleepers)) {
		pthread_mutex_lock(&pool->lock);
		pthread_cond_broadcast(&pool->changed);
		pthread_mutex_unlock(&pool->lock);
	}
}

static int round_begins(xt_worker_pool_t *pool, unsigned seen)
{
	return atomic_load(&pool->round) != seen || atomic_load(&pool->over);
}

static int round_is_done(xt_worker_pool_t *pool, unsigned seen)
{
	(void)seen;
	return atomic_load(&pool->left) == 0;
}

static void wait_for(xt_worker_pool_t *pool, int (*is_there)(xt_worker_pool_t *pool, unsigned seen), unsigned seen)
{
	for (unsigned spins = 0; spins < AWAKE_SPINS; spins++) {
		if (is_there(pool, seen)) {
			return;
		}
		xt_spin_pause();
	}
	pthread_mutex_lock(&pool->lock);
	atomic_fetch_add(&pool->sleepers, 1);
	while (!is_there(pool, seen)) {
		pthread_cond_wait(&pool->changed, &pool->lock);
	}
	atomic_fetch_sub(&pool->sleepers, 1);
	pthread_mutex_unlock(&pool->lock);
}

/* A thread that comes late, to a round that is done, finds nothing. */
static void try_item(xt_worker_pool_t *pool, unsigned item, unsigned round)
{
	unsigned before = round - 1;

	if (atomic_compare_exchange_strong(&pool->taken[item], &before, round)) {
		pool->work(pool->context, item);
		if (atomic_fetch_sub(&pool->left, 1) == 1) {
			wake_sleepers(pool);
		}
	}
}

/* A worker begins at the end of its own share, and helps out at the beginning of the others': so most items stay with
 * the same thread, in whose caches they are, in every round. */
static void work_through(xt_worker_pool_t *pool, unsigned number, unsigned round)
{
	const unsigned from = pool->items * number / pool->threads, to = pool->items * (number + 1) / pool->threads;

	for (unsigned i = to; i-- > from;) {
		try_item(pool, i, round);
	}
	for (unsigned i = 0; i < pool->items; i++) {
		try_item(pool, (to + i) % pool->items, round);
	}
}

static void *attend(void *argument)
{
	const worker_t *worker = argument;
	xt_worker_pool_t *pool = worker->pool;
	unsigned seen = 0;

	for (;;) {
		wait_for(pool, round_begins, seen);
		if (atomic_load(&pool->over)) {
			return NULL;
		}
		seen = atomic_load(&pool->round);
		work_through(pool, worker->number, seen);
	}
}

xt_worker_pool_t *xt_worker_pool_open(
	unsigned threads, unsigned items, void (*work)(void *context, unsigned item), void *context)
{
	xt_worker_pool_t *pool = aligned_alloc(64, (sizeof(*pool) + 63) / 64 * 64);

	if (!pool) {
		return NULL;
	}
	*pool = (xt_worker_pool_t){.threads = threads, .items = items, .work = work, .context = context};
	pool->workers = calloc(threads, sizeof(*pool->workers));
	pool->taken = calloc(items, sizeof(*pool->taken));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	if (!pool->workers || !pool->taken) {
		xt_worker_pool_close(pool);
		return NULL;
	}
	pool->started = 1;
	while (pool->started < threads) {
		worker_t *worker = &pool->workers[pool->started];

		*worker = (worker_t){.pool = pool, .number = pool->started};
		if (pthread_create(&worker->thread, NULL, attend, worker) != 0) {
			break;
		}
		pool->started++;
	}
	return pool;
}

void xt_worker_pool_run(xt_worker_pool_t *pool, void (*own)(void *context))
{
	atomic_store(&pool->left, pool->items);
	atomic_fetch_add(&pool->round, 1);
	wake_sleepers(pool);
	own(pool->context);
	work_through(pool, 0, atomic_load(&pool->round));
	wait_for(pool, round_is_done, 0);
}

void xt_worker_pool_close(xt_worker_pool_t *pool)
{
	if (!pool) {
		return;
	}
	atomic_store(&pool->over, 1);
	pthread_mutex_lock(&pool->lock);
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 1; i < pool->started; i++) {
		pthread_join(pool->workers[i].thread, NULL);
	}
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool->taken);
	free(pool);
}
