/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles among the channel dependencies of a TC. Two channels wait for each other round a cycle if and only if they
 * are in one strongly connected component (Tarjan). A dependency within a component is therefore part of a cycle.
 * Only dependencies along a ring with bubble flow control may be part of one. */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

static const uint32_t not_met = UINT32_MAX;

/* Vertices by number: card * bits + channel bit. */
typedef struct {
	checker_t *c;
	const uint64_t *successors; /* [vertex] */
	unsigned tc;
	uint32_t vertices;
	uint32_t *component; /* [vertex], not_met until its component is complete */
	uint32_t *order;     /* [vertex], number in the order of meeting, or not_met */
	uint32_t *low;       /* [vertex], least number that is reached; later the way back of a search */
	uint64_t *rest;      /* [vertex], successors not yet followed */
	uint32_t *open;      /* met, component not complete; later a queue */
	uint32_t *path;      /* the way down */
} graph_t;

static uint32_t peer_base(const graph_t *g, uint32_t vertex)
{
	unsigned port = vertex % g->c->bits / g->c->vc_stride;

	return xt_image_peer(g->c->image, vertex / g->c->bits, port).card * g->c->bits;
}

static xt_channel_t channel_of(const graph_t *g, uint32_t vertex)
{
	return (xt_channel_t){
		.card = vertex / g->c->bits,
		.port = (uint8_t)(vertex % g->c->bits / g->c->vc_stride),
		.tc = (uint8_t)g->tc,
		.vc = (uint8_t)(vertex % g->c->vc_stride),
	};
}

/* A packet that goes on from one channel to the other stays in a ring of bubble flow control. */
static bool continues_ring(const graph_t *g, uint32_t from, uint32_t to)
{
	xt_channel_t a = channel_of(g, from), b = channel_of(g, to);

	return g->c->profile->bubble && xt_image_continues_ring(g->c->image, b.card, b.port, b.vc,
						xt_image_peer(g->c->image, a.card, a.port).port, a.vc);
}

static void complete_component(graph_t *g, uint32_t root, size_t *opened)
{
	uint32_t v;

	do {
		v = g->open[--*opened];
		g->component[v] = root;
	} while (v != root);
}

static void lower(graph_t *g, uint32_t vertex, uint32_t to)
{
	g->low[vertex] = to < g->low[vertex] ? to : g->low[vertex];
}

/* Everything that is reached from `root` gets its component. */
static void find_components_from(graph_t *g, uint32_t root, uint32_t *met)
{
	size_t depth = 0, opened = 0;

	g->path[depth++] = g->open[opened++] = root;
	g->order[root] = g->low[root] = (*met)++;
	while (depth > 0) {
		uint32_t v = g->path[depth - 1], next;

		if (g->rest[v] == 0) {
			depth--;
			if (g->low[v] == g->order[v]) {
				complete_component(g, v, &opened);
			}
			if (depth > 0) {
				lower(g, g->path[depth - 1], g->low[v]);
			}
			continue;
		}
		next = peer_base(g, v) + (uint32_t)__builtin_ctzll(g->rest[v]);
		g->rest[v] &= g->rest[v] - 1;
		if (g->order[next] == not_met) {
			g->path[depth++] = g->open[opened++] = next;
			g->order[next] = g->low[next] = (*met)++;
		} else if (g->component[next] == not_met) {
			lower(g, v, g->order[next]);
		}
	}
}

static void find_components(graph_t *g)
{
	uint32_t met = 0;

	memcpy(g->rest, g->successors, g->vertices * sizeof(*g->rest));
	memset(g->component, 0xff, g->vertices * sizeof(*g->component));
	memset(g->order, 0xff, g->vertices * sizeof(*g->order));
	for (uint32_t root = 0; root < g->vertices; root++) {
		if (g->order[root] == not_met && g->rest[root] != 0) {
			find_components_from(g, root, &met);
		}
	}
}

/* A shortest cycle that begins with the dependency of `second` on `first`. */
static int trace_cycle(graph_t *g, uint32_t first, uint32_t second)
{
	xt_check_t *r = g->c->result;
	uint32_t *from = g->low, *queue = g->open;
	size_t head = 0, tail = 0, length = 1;
	uint32_t v;

	memset(from, 0xff, g->vertices * sizeof(*from));
	from[second] = first;
	queue[tail++] = second;
	while (from[first] == not_met) {
		uint32_t base = peer_base(g, queue[head]);

		for (uint64_t rest = g->successors[queue[head]]; rest; rest &= rest - 1) {
			uint32_t next = base + (uint32_t)__builtin_ctzll(rest);

			if (from[next] == not_met) {
				from[next] = queue[head];
				queue[tail++] = next;
			}
		}
		head++;
	}
	for (v = from[first]; v != first; v = from[v]) {
		length++;
	}
	r->cycle[g->tc] = malloc(length * sizeof(*r->cycle[g->tc]));
	if (!r->cycle[g->tc]) {
		return XT_ERR_NOMEM;
	}
	r->cycle_length[g->tc] = length;
	v = first;
	for (size_t i = length; i-- > 0;) {
		v = from[v];
		r->cycle[g->tc][i] = channel_of(g, v);
	}
	return XT_OK;
}

/* The first dependency on a cycle that is not the going on of a ring; false if there is none. Counts what
 * is met until then. */
static bool find_cyclic_dependency(graph_t *g, uint32_t *first, uint32_t *second)
{
	uint32_t *seen = g->order, *predecessors = g->low;
	xt_check_t *r = g->c->result;

	memset(seen, 0, g->vertices * sizeof(*seen));
	memset(predecessors, 0, g->vertices * sizeof(*predecessors));
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t base = peer_base(g, v);

		for (uint64_t rest = g->successors[v]; rest; rest &= rest - 1) {
			uint32_t next = base + (uint32_t)__builtin_ctzll(rest);
			bool ring = continues_ring(g, v, next);

			if (ring && ++predecessors[next] == 2 && r->ring_merges++ == 0) {
				r->ring_merge = channel_of(g, next);
			}
			if (g->component[v] == not_met || g->component[v] != g->component[next]) {
				continue;
			}
			if (!ring) {
				*first = v;
				*second = next;
				return true;
			}
			r->rings[g->tc] += seen[g->component[v]]++ == 0;
		}
	}
	return false;
}

static int search(graph_t *g)
{
	xt_check_t *r = g->c->result;
	uint32_t first, second;

	for (unsigned card = 0; card < g->c->cards; card++) {
		r->channels[g->tc] += (unsigned)__builtin_popcountll(r->used[g->tc][card]);
	}
	for (uint32_t v = 0; v < g->vertices; v++) {
		r->dependencies[g->tc] += (unsigned)__builtin_popcountll(g->successors[v]);
	}
	find_components(g);
	if (!find_cyclic_dependency(g, &first, &second)) {
		return XT_OK;
	}
	r->cyclic_tcs |= 1u << g->tc;
	return trace_cycle(g, first, second);
}

int xt_check_find_cycles(checker_t *c)
{
	graph_t g = {.c = c, .vertices = c->cards * c->bits};
	uint32_t *memory = malloc(5 * (size_t)g.vertices * sizeof(*memory));
	int status = XT_OK;

	g.rest = malloc(g.vertices * sizeof(*g.rest));
	if (!memory || !g.rest) {
		status = XT_ERR_NOMEM;
	}

	g.component = memory;
	for (unsigned tc = 0; tc < c->profile->tcs && status == XT_OK; tc++) {
		g.order = g.component + g.vertices;
		g.low = g.order + g.vertices;
		g.open = g.low + g.vertices;
		g.path = g.open + g.vertices;
		g.tc = tc;
		g.successors = c->result->successors[tc];
		status = search(&g);
	}
	free(memory);
	free(g.rest);
	return status;
}
