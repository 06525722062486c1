/* SPDX-License-Identifier: Apache-2.0
 *
 * Halves of a graph with few links between them. */
#include <stdlib.h>
#include <string.h>

#include "extorus/random.h"
#include "flat_graph.h"

enum {
	BEGINNINGS = 16,
	NOBODY = -1,
	MOST_GAIN = XT_MAX_WIDE_PORTS,
	GAINS = 2 * MOST_GAIN + 1,
};

/* A stream of random numbers that traffic, failures and assignments do not have. */
static const uint64_t partition_stream = UINT64_C(4) << 32;

/* Vertices that have not moved in this pass are in a list for their side and gain, the links between the sides that
 * there would be fewer if they moved. */
typedef struct {
	const xt_graph_t *graph;
	unsigned char *side;
	int *gain, *next, *before; /* [vertex] */
	unsigned char *moved;      /* [vertex] */
	unsigned *moves;           /* in order */
	int head[2][GAINS];
	int top[2]; /* no list above is occupied */
	unsigned size[2];
} pass_t;

static void put(pass_t *p, int v)
{
	int gain = p->gain[v] + MOST_GAIN, side = p->side[v], *head = &p->head[side][gain];

	p->before[v] = NOBODY;
	p->next[v] = *head;
	if (*head != NOBODY) {
		p->before[*head] = v;
	}
	*head = v;
	p->top[side] = gain > p->top[side] ? gain : p->top[side];
}

static void take(pass_t *p, int v)
{
	if (p->next[v] != NOBODY) {
		p->before[p->next[v]] = p->before[v];
	}
	if (p->before[v] != NOBODY) {
		p->next[p->before[v]] = p->next[v];
	} else {
		p->head[p->side[v]][p->gain[v] + MOST_GAIN] = p->next[v];
	}
}

/* A vertex of a side with the most gain, or NOBODY. */
static int best_of(pass_t *p, unsigned side)
{
	while (p->top[side] >= 0 && p->head[side][p->top[side]] == NOBODY) {
		p->top[side]--;
	}
	return p->top[side] >= 0 ? p->head[side][p->top[side]] : NOBODY;
}

static int64_t begin_pass(pass_t *p)
{
	const xt_graph_t *g = p->graph;
	int64_t cut = 0;

	p->size[0] = p->size[1] = 0;
	p->top[0] = p->top[1] = -1;
	memset(p->head, 0xff, sizeof(p->head));
	memset(p->moved, 0, g->vertices);
	for (unsigned v = 0; v < g->vertices; v++) {
		p->gain[v] = 0;
		for (unsigned arc = g->first[v]; arc < g->first[v + 1]; arc++) {
			bool between = p->side[g->peer[arc]] != p->side[v];

			p->gain[v] += between ? 1 : -1;
			cut += between;
		}
		p->size[p->side[v]]++;
		put(p, (int)v);
	}
	return cut / 2;
}

static void move(pass_t *p, int v)
{
	const xt_graph_t *g = p->graph;

	take(p, v);
	p->moved[v] = 1;
	p->size[p->side[v]]--;
	p->side[v] ^= 1;
	p->size[p->side[v]]++;
	for (unsigned arc = g->first[v]; arc < g->first[v + 1]; arc++) {
		int peer = (int)g->peer[arc];

		if (!p->moved[peer]) {
			take(p, peer);
			p->gain[peer] += p->side[peer] == p->side[v] ? -2 : 2;
			put(p, peer);
		}
	}
}

/* Moves each vertex once, from the larger side, and takes back the moves after the best halves; INT64_MAX if there
 * were none. */
static int64_t one_pass(pass_t *p)
{
	unsigned count = 0, kept = 0;
	int64_t cut = begin_pass(p), best = INT64_MAX;

	for (;;) {
		int v = best_of(p, 0), other = best_of(p, 1);

		if (p->size[0] - p->size[1] + 1 <= 2 && cut < best) {
			best = cut;
			kept = count;
		}
		if (p->size[1] > p->size[0] || v == NOBODY ||
			(p->size[1] == p->size[0] && other != NOBODY && p->gain[other] > p->gain[v])) {
			v = other;
		}
		if (v == NOBODY) {
			break;
		}
		cut -= p->gain[v];
		p->moves[count++] = (unsigned)v;
		move(p, v);
	}
	while (count > kept) {
		p->side[p->moves[--count]] ^= 1;
	}
	return best;
}

/* Improves a partition into two sides until they are halves (of an odd number of vertices one has one more) and no pass
 * of Fiduccia and Mattheyses ("A linear-time heuristic for improving network partitions", DAC 1982) finds fewer
 * links between them. side[vertex] is 0 or 1. Returns the links between the halves, or a negative status. Of a
 * graph of two-way links. */
static int64_t improve(const xt_graph_t *g, unsigned char *side, xt_diag_t *diag)
{
	pass_t p = {.graph = g, .side = side};
	int64_t cut = INT64_MAX, last;

	p.gain = malloc(g->vertices * sizeof(*p.gain));
	p.next = malloc(g->vertices * sizeof(*p.next));
	p.before = malloc(g->vertices * sizeof(*p.before));
	p.moved = malloc(g->vertices);
	p.moves = malloc(g->vertices * sizeof(*p.moves));
	if (p.gain && p.next && p.before && p.moved && p.moves) {
		do {
			last = cut;
			cut = one_pass(&p);
		} while (cut < last);
	} else {
		cut = xt_fail(diag, XT_ERR_NOMEM, "out of memory to halve %u cards", g->vertices);
	}
	free(p.gain);
	free(p.next);
	free(p.before);
	free(p.moved);
	free(p.moves);
	return cut;
}

/* The half of the vertices that are nearest to one. */
static void grow(const xt_graph_t *g, unsigned from, unsigned char *side, unsigned *queue)
{
	unsigned head = 0, count = 1;

	memset(side, 0, g->vertices);
	queue[0] = from;
	side[from] = 1;
	while (head < count && count < g->vertices / 2) {
		unsigned v = queue[head++];

		for (unsigned arc = g->first[v]; arc < g->first[v + 1] && count < g->vertices / 2; arc++) {
			if (!side[g->peer[arc]]) {
				side[g->peer[arc]] = 1;
				queue[count++] = g->peer[arc];
			}
		}
	}
}

int64_t xt_graph_bisect(const xt_graph_t *g, xt_diag_t *diag)
{
	unsigned char *side = malloc(g->vertices);
	unsigned *queue = malloc(g->vertices * sizeof(*queue));
	int64_t best = INT64_MAX, cut = 0;
	xt_random_t random;

	if (!side || !queue) {
		best = xt_fail(diag, XT_ERR_NOMEM, "out of memory to halve %u cards", g->vertices);
	}
	xt_random_seed(&random, 1, partition_stream);
	for (unsigned i = 0; best >= 0 && i < BEGINNINGS; i++) {
		if (i % 2 == 0) {
			grow(g, xt_random_below(&random, g->vertices), side, queue);
		} else {
			/* About a half, which the first pass makes one. */
			for (unsigned v = 0; v < g->vertices; v++) {
				side[v] = xt_random_next(&random) >> 63;
			}
		}
		cut = improve(g, side, diag);
		best = cut < best ? cut : best;
	}
	free(side);
	free(queue);
	return best;
}
