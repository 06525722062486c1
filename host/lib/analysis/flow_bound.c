/* SPDX-License-Identifier: Apache-2.0
 *
 * How evenly the traffic between all pairs can be spread over the links. The more evenly, the more links each half
 * must have. By the method of Frank and Wolfe: the cost of a link grows with its load, and all packets take the
 * ways of least cost. A share of the load of the links is then replaced by the load of these ways. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flat_graph.h"

enum {
	MOST_ROUNDS = 400,
	STEEPNESS = 60, /* exponent of the length of the busiest link */
};

/* Steps of all searches together. */
static const double most_steps = 1e8;

typedef struct {
	const xt_graph_t *graph;
	double *length, *load, *fresh; /* [link] */
	double *distance, *passing;    /* [vertex] */
	unsigned *arrived;             /* [vertex]: the link by which it was reached */
	unsigned *from;                /* [vertex]: from where */
	unsigned *heap, *place, *order;
	unsigned size, settled;
} spread_t;

static void set(spread_t *s, unsigned place, unsigned v)
{
	s->heap[place] = v;
	s->place[v] = place;
}

static void sift_up(spread_t *s, unsigned v)
{
	unsigned place = s->place[v];

	while (place > 0 && s->distance[s->heap[(place - 1) / 2]] > s->distance[v]) {
		set(s, place, s->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	set(s, place, v);
}

static unsigned take_nearest(spread_t *s)
{
	unsigned nearest = s->heap[0], v = s->heap[--s->size], place = 0, child;

	while ((child = 2 * place + 1) < s->size) {
		child += child + 1 < s->size && s->distance[s->heap[child + 1]] < s->distance[s->heap[child]];
		if (s->distance[v] <= s->distance[s->heap[child]]) {
			break;
		}
		set(s, place, s->heap[child]);
		place = child;
	}
	set(s, place, v);
	return nearest;
}

/* Dijkstra's algorithm. */
static void search(spread_t *s, unsigned source)
{
	const xt_graph_t *g = s->graph;

	for (unsigned v = 0; v < g->vertices; v++) {
		s->distance[v] = INFINITY;
	}
	s->distance[source] = 0;
	s->size = s->settled = 0;
	set(s, s->size++, source);
	while (s->size > 0) {
		unsigned v = take_nearest(s);

		s->order[s->settled++] = v;
		for (unsigned arc = g->first[v]; arc < g->first[v + 1]; arc++) {
			unsigned peer = g->peer[arc];
			double distance = s->distance[v] + s->length[g->link[arc]];

			if (distance >= s->distance[peer]) {
				continue;
			}
			if (isinf(s->distance[peer])) {
				set(s, s->size++, peer);
			}
			s->distance[peer] = distance;
			s->arrived[peer] = g->link[arc];
			s->from[peer] = v;
			sift_up(s, peer);
		}
	}
}

/* Half a packet from each vertex to each other by the shortest way: one for each unordered pair. */
static void route_all(spread_t *s)
{
	const xt_graph_t *g = s->graph;

	memset(s->fresh, 0, g->links * sizeof(*s->fresh));
	for (unsigned source = 0; source < g->vertices; source++) {
		search(s, source);
		memset(s->passing, 0, g->vertices * sizeof(*s->passing));
		for (unsigned i = s->settled; i-- > 1;) {
			unsigned v = s->order[i];

			s->fresh[s->arrived[v]] += (1 + s->passing[v]) / 2;
			s->passing[s->from[v]] += 1 + s->passing[v];
		}
	}
}

static double most(const spread_t *s)
{
	double busiest = 0;

	for (unsigned link = 0; link < s->graph->links; link++) {
		busiest = s->load[link] > busiest ? s->load[link] : busiest;
	}
	return busiest;
}

static double spread(spread_t *s, double enough)
{
	const xt_graph_t *g = s->graph;
	double busiest = most(s), steps = (double)g->vertices * (8.0 * g->vertices + 4.0 * g->first[g->vertices]);
	double best = busiest;

	for (unsigned round = 1; best >= enough && round <= MOST_ROUNDS && round * steps <= most_steps; round++) {
		double share = 1.0 / (round + 1.0);

		for (unsigned link = 0; link < g->links; link++) {
			s->length[link] = exp(STEEPNESS * (s->load[link] / busiest - 1)) + 1e-12;
		}
		route_all(s);
		for (unsigned link = 0; link < g->links; link++) {
			s->load[link] += share * (s->fresh[link] - s->load[link]);
		}
		busiest = most(s);
		best = busiest < best ? busiest : best;
	}
	return best;
}

int xt_graph_spread(const xt_graph_t *g, double *load, double enough, double *busiest, xt_diag_t *diag)
{
	spread_t s = {.graph = g, .load = load};
	int status = XT_OK;

	s.length = malloc(g->links * sizeof(*s.length));
	s.fresh = malloc(g->links * sizeof(*s.fresh));
	s.distance = malloc(g->vertices * sizeof(*s.distance));
	s.passing = malloc(g->vertices * sizeof(*s.passing));
	s.arrived = malloc(g->vertices * sizeof(*s.arrived));
	s.from = malloc(g->vertices * sizeof(*s.from));
	s.heap = malloc(g->vertices * sizeof(*s.heap));
	s.place = malloc(g->vertices * sizeof(*s.place));
	s.order = malloc(g->vertices * sizeof(*s.order));
	if (s.length && s.fresh && s.distance && s.passing && s.arrived && s.from && s.heap && s.place && s.order) {
		*busiest = spread(&s, enough);
	} else {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for the traffic of %u cards", g->vertices);
	}
	free(s.length);
	free(s.fresh);
	free(s.distance);
	free(s.passing);
	free(s.arrived);
	free(s.from);
	free(s.heap);
	free(s.place);
	free(s.order);
	return status;
}
