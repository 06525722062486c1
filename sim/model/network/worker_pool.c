/* SPDX-License-Identifier: Apache-2.0 */
#include "worker_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { AWAKE_SPINS = 4000 }; /* some tens of microseconds */

typedef struct {
	crew_t *crew;
	unsigned number;
	pthread_t thread;
} member_t;

struct crew {
	unsigned threads, started, items;
	void (*work)(void *context, unsigned item);
	void *context;
	member_t *members;
	atomic_uint *taken; /* by item: the round in which somebody took it last */
	_Alignas(64) atomic_uint round;
	atomic_uint left; /* items of the round that are not done */
	atomic_uint sleepers;
	atomic_int over;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* `round`, `left` or `over` */
};

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void wake_sleepers(crew_t *crew)
{
	/* Who sleeps has said so before the last look at what has changed now. */
	if (atomic_load(&crew->sleepers)) {
		pthread_mutex_lock(&crew->lock);
		pthread_cond_broadcast(&crew->changed);
		pthread_mutex_unlock(&crew->lock);
	}
}

static int round_begins(crew_t *crew, unsigned seen)
{
	return atomic_load(&crew->round) != seen || atomic_load(&crew->over);
}

static int round_is_done(crew_t *crew, unsigned seen)
{
	(void)seen;
	return atomic_load(&crew->left) == 0;
}

static void wait_for(crew_t *crew, int (*is_there)(crew_t *crew, unsigned seen), unsigned seen)
{
	for (unsigned spins = 0; spins < AWAKE_SPINS; spins++) {
		if (is_there(crew, seen)) {
			return;
		}
		pause_a_little();
	}
	pthread_mutex_lock(&crew->lock);
	atomic_fetch_add(&crew->sleepers, 1);
	while (!is_there(crew, seen)) {
		pthread_cond_wait(&crew->changed, &crew->lock);
	}
	atomic_fetch_sub(&crew->sleepers, 1);
	pthread_mutex_unlock(&crew->lock);
}

/* A thread that comes late, to a round that is done, finds nothing. */
static void try_item(crew_t *crew, unsigned item, unsigned round)
{
	unsigned before = round - 1;

	if (atomic_compare_exchange_strong(&crew->taken[item], &before, round)) {
		crew->work(crew->context, item);
		if (atomic_fetch_sub(&crew->left, 1) == 1) {
			wake_sleepers(crew);
		}
	}
}

/* A member begins at the end of its own share, and helps out at the beginning of the others': so most items stay with
 * the same thread, in whose caches they are, in every round. */
static void work_through(crew_t *crew, unsigned number, unsigned round)
{
	const unsigned from = crew->items * number / crew->threads, to = crew->items * (number + 1) / crew->threads;

	for (unsigned i = to; i-- > from;) {
		try_item(crew, i, round);
	}
	for (unsigned i = 0; i < crew->items; i++) {
		try_item(crew, (to + i) % crew->items, round);
	}
}

static void *attend(void *argument)
{
	const member_t *member = argument;
	crew_t *crew = member->crew;
	unsigned seen = 0;

	for (;;) {
		wait_for(crew, round_begins, seen);
		if (atomic_load(&crew->over)) {
			return NULL;
		}
		seen = atomic_load(&crew->round);
		work_through(crew, member->number, seen);
	}
}

crew_t *crew_open(unsigned threads, unsigned items, void (*work)(void *context, unsigned item), void *context)
{
	crew_t *crew = aligned_alloc(64, (sizeof(*crew) + 63) / 64 * 64);

	if (!crew) {
		return NULL;
	}
	*crew = (crew_t){.threads = threads, .items = items, .work = work, .context = context};
	crew->members = calloc(threads, sizeof(*crew->members));
	crew->taken = calloc(items, sizeof(*crew->taken));
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
	if (!crew->members || !crew->taken) {
		crew_close(crew);
		return NULL;
	}
	crew->started = 1;
	while (crew->started < threads) {
		member_t *member = &crew->members[crew->started];

		*member = (member_t){.crew = crew, .number = crew->started};
		if (pthread_create(&member->thread, NULL, attend, member) != 0) {
			break;
		}
		crew->started++;
	}
	return crew;
}

void crew_run(crew_t *crew, void (*own)(void *context))
{
	atomic_store(&crew->left, crew->items);
	atomic_fetch_add(&crew->round, 1);
	wake_sleepers(crew);
	own(crew->context);
	work_through(crew, 0, atomic_load(&crew->round));
	wait_for(crew, round_is_done, 0);
}

void crew_close(crew_t *crew)
{
	if (!crew) {
		return;
	}
	atomic_store(&crew->over, 1);
	pthread_mutex_lock(&crew->lock);
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	for (unsigned i = 1; i < crew->started; i++) {
		pthread_join(crew->members[i].thread, NULL);
	}
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew->members);
	free(crew->taken);
	free(crew);
}
