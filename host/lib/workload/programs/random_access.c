/* SPDX-License-Identifier: Apache-2.0
 *
 * RandomAccess (HPC Challenge 1.5, RandomAccess/MPIRandomAccess.c). Every rank draws updates of a table that is
 * distributed over all ranks, and holds back 1,024 for others at most. Then it sends those for the rank for which it
 * has most, of equals the one at the top of a heap, after its message before is sent. At the end it tells all others
 * so. Whom a rank sends how much does not depend on time, so the messages are those of a real run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generator_parts.h"

/* An iteration is as many updates as a rank holds back. */
enum { WORD = 8, MOST_PENDING = 1024 };

typedef struct {
	xt_generator_t *g;
	uint64_t table, share, extra;           /* words: of all, of a rank, and how many ranks have one more */
	uint32_t *heap, *place, *pending, size; /* [0] has most; place by rank; updates by rank */
} access_t;

/* The state of the generator after n draws from 1: x^n of the polynomials modulo x^64 + x^2 + x + 1. */
static uint64_t draw(uint64_t state)
{
	return state << 1 ^ (state >> 63 ? 7 : 0);
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product = 0;

	for (; b; b >>= 1, a = draw(a)) {
		product ^= b & 1 ? a : 0;
	}
	return product;
}

static uint64_t state_after(uint64_t draws)
{
	uint64_t state = 1;

	for (uint64_t power = 2; draws; draws >>= 1, power = multiply(power, power)) {
		state = draws & 1 ? multiply(state, power) : state;
	}
	return state;
}

static uint32_t owner(const access_t *a, uint64_t word)
{
	uint64_t top = a->extra * (a->share + 1);

	return (uint32_t)(word < top ? word / (a->share + 1) : (word - a->extra) / a->share);
}

static void put(access_t *a, uint32_t node, uint32_t rank)
{
	a->heap[node] = rank;
	a->place[rank] = node;
}

static void add_update(access_t *a, uint32_t rank)
{
	uint32_t node = a->pending[rank]++ ? a->place[rank] : a->size++;

	for (; node && a->pending[a->heap[(node - 1) / 2]] < a->pending[rank]; node = (node - 1) / 2) {
		put(a, node, a->heap[(node - 1) / 2]);
	}
	put(a, node, rank);
}

/* The last one takes the place of the first. */
static uint32_t take_most(access_t *a)
{
	uint32_t most = a->heap[0], last = a->heap[--a->size], node = 0, child;

	while ((child = 2 * node + 1) <= a->size) {
		child += child < a->size && a->pending[a->heap[child]] < a->pending[a->heap[child + 1]];
		if (a->pending[last] >= a->pending[a->heap[child]]) {
			break;
		}
		put(a, node, a->heap[child]);
		node = child;
	}
	put(a, node, last);
	return most;
}

/* A message of rank `from`, with its receive, for which nothing waits. */
static uint32_t send(access_t *a, uint32_t from, uint32_t to, uint64_t words)
{
	xt_workload_add(a->g->w, XT_EVENT_RECV, to, from, WORD * words, 0, 0);
	return xt_program_send(&a->g->programs[from], to, WORD * words);
}

static void send_most(access_t *a, uint32_t rank, uint32_t *pending)
{
	uint32_t to = take_most(a);

	xt_program_wait_one(&a->g->programs[rank], send(a, rank, to, a->pending[to]));
	*pending -= a->pending[to];
	a->pending[to] = 0;
}

/* The computation of all updates up to number `drawn`, of which *done nanoseconds are written. */
static void compute(access_t *a, uint32_t rank, uint64_t drawn, uint64_t *done)
{
	uint64_t ns = a->g->options->compute_ns,
		 all = ns / MOST_PENDING * drawn + ns % MOST_PENDING * drawn / MOST_PENDING;

	xt_program_compute(&a->g->programs[rank], all - *done);
	*done = all;
}

static void update(access_t *a, uint32_t rank, uint64_t first, uint64_t updates)
{
	uint64_t state = state_after(4 * first), done = 0;
	uint32_t pending = 0;

	for (uint64_t i = 0; i < updates; i++) {
		uint32_t to;

		while (pending >= MOST_PENDING) {
			compute(a, rank, i, &done);
			send_most(a, rank, &pending);
		}
		state = draw(state);
		to = owner(a, state & (a->table - 1));
		if (to != rank) {
			add_update(a, to);
			pending++;
		}
	}
	compute(a, rank, updates, &done);
	while (pending > 0) {
		send_most(a, rank, &pending);
	}
}

static int write_all(access_t *a)
{
	uint32_t ranks = a->g->ranks;

	for (uint32_t r = 0; r < ranks && a->g->w->status == XT_OK; r++) {
		uint64_t first = a->share * r + (r < a->extra ? r : a->extra);
		uint64_t updates = 4 * (a->share + (r < a->extra));
		uint64_t most = (uint64_t)a->g->options->rounds * MOST_PENDING;

		memset(a->pending, 0, ranks * sizeof(*a->pending));
		a->size = 0;
		update(a, r, first, most && most < updates ? most : updates);
		for (uint32_t to = 0; to < ranks; to++) {
			if (to != r) {
				send(a, r, to, 0);
			}
		}
	}
	return a->g->w->status;
}

int xt_generate_random_access(xt_generator_t *g)
{
	static const char *const names[] = {"16", "18", "20", "22", "24", "26", "28", "30", NULL};
	access_t a = {.g = g};
	unsigned index;
	int status = xt_generator_problem(g, names, &index);

	if (status != XT_OK) {
		return status;
	}
	a.table = UINT64_C(1) << (16 + 2 * index);
	a.share = a.table / g->ranks;
	a.extra = a.table % g->ranks;
	a.heap = malloc(((size_t)g->ranks + 1) * sizeof(*a.heap));
	a.place = malloc(g->ranks * sizeof(*a.place));
	a.pending = calloc(g->ranks, sizeof(*a.pending));
	status = a.heap && a.place && a.pending ? write_all(&a) : XT_ERR_NOMEM;
	free(a.heap);
	free(a.place);
	free(a.pending);
	return status;
}
