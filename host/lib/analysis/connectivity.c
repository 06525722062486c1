/* SPDX-License-Identifier: Apache-2.0
 *
 * Connectivity by maximum flow. Menger: as many links (vertices) must be taken away to part two vertices as there are
 * ways between them that share no link (no vertex). */
#include <stdlib.h>
#include <string.h>

#include "flat_graph.h"

/* Each vertex v has an entry 2v and an exit 2v + 1, in a flow over vertices with an arc of capacity 1 between them.
 * Arc a and its residual a ^ 1 are neighbours in the list. */
typedef struct {
	const xt_graph_t *graph;
	unsigned arcs;
	unsigned *to;            /* [arc] */
	unsigned char *capacity; /* [arc] */
	unsigned char *begin;    /* [arc]: capacity without flow */
	unsigned *first, *next;  /* [node], [arc]: list of the arcs of a node */
	unsigned *by, *queue;    /* [node]: arc by which it was reached */
} flow_t;

#define NO_ARC UINT32_MAX

static void add_arc(flow_t *f, unsigned from, unsigned to, unsigned capacity)
{
	unsigned ends[2] = {from, to};

	for (unsigned i = 0; i < 2; i++) {
		unsigned arc = f->arcs++;

		f->to[arc] = ends[!i];
		f->begin[arc] = (unsigned char)(i ? 0 : capacity);
		f->next[arc] = f->first[ends[i]];
		f->first[ends[i]] = arc;
	}
}

static void build(flow_t *f, bool of_vertices)
{
	const xt_graph_t *g = f->graph;

	memset(f->first, 0xff, 2 * (size_t)g->vertices * sizeof(*f->first));
	for (unsigned v = 0; v < g->vertices; v++) {
		/* 255: more than there are links at a vertex. */
		add_arc(f, 2 * v, 2 * v + 1, of_vertices ? 1 : 255);
		for (unsigned arc = g->first[v]; arc < g->first[v + 1]; arc++) {
			add_arc(f, 2 * v + 1, 2 * g->peer[arc], 1);
		}
	}
}

/* One more way from an exit to an entry. */
static bool augment(flow_t *f, unsigned source, unsigned sink)
{
	unsigned head = 0, tail = 0;

	memset(f->by, 0xff, 2 * (size_t)f->graph->vertices * sizeof(*f->by));
	f->queue[tail++] = source;
	while (head < tail && f->by[sink] == NO_ARC) {
		unsigned node = f->queue[head++];

		for (unsigned arc = f->first[node]; arc != NO_ARC; arc = f->next[arc]) {
			if (f->capacity[arc] && f->by[f->to[arc]] == NO_ARC && f->to[arc] != source) {
				f->by[f->to[arc]] = arc;
				f->queue[tail++] = f->to[arc];
			}
		}
	}
	if (f->by[sink] == NO_ARC) {
		return false;
	}
	for (unsigned node = sink; node != source; node = f->to[f->by[node] ^ 1u]) {
		f->capacity[f->by[node]]--;
		f->capacity[f->by[node] ^ 1u]++;
	}
	return true;
}

/* Ways from one vertex to another that have nothing in common, up to `enough`. */
static unsigned ways(flow_t *f, unsigned from, unsigned to, unsigned enough)
{
	unsigned count = 0;

	memcpy(f->capacity, f->begin, f->arcs);
	while (count < enough && augment(f, 2 * from + 1, 2 * to)) {
		count++;
	}
	return count;
}

static bool linked(const xt_graph_t *g, unsigned from, unsigned to)
{
	for (unsigned arc = g->first[from]; arc < g->first[from + 1]; arc++) {
		if (g->peer[arc] == to) {
			return true;
		}
	}
	return false;
}

/* A vertex that survives is parted from some other one, to or from it. Where vertices are taken away, of one more of
 * them than are taken away one survives. */
static unsigned least(flow_t *f, bool of_vertices)
{
	const xt_graph_t *g = f->graph;
	unsigned found = of_vertices ? g->vertices - 1 : UINT32_MAX;

	for (unsigned v = 0; v < g->vertices && v <= (of_vertices ? found : 0); v++) {
		for (unsigned other = 0; other < g->vertices; other++) {
			if (other == v) {
				continue;
			}
			if (!of_vertices || !linked(g, v, other)) {
				found = ways(f, v, other, found);
			}
			if (!of_vertices || !linked(g, other, v)) {
				found = ways(f, other, v, found);
			}
		}
	}
	return found == UINT32_MAX ? 0 : found;
}

int xt_graph_connectivity(const xt_graph_t *g, bool of_vertices, unsigned *connectivity, xt_diag_t *diag)
{
	size_t nodes = 2 * (size_t)g->vertices, arcs = 2 * ((size_t)g->vertices + g->first[g->vertices]);
	flow_t f = {.graph = g};
	int status = XT_OK;

	f.to = malloc(arcs * sizeof(*f.to));
	f.capacity = malloc(arcs);
	f.begin = malloc(arcs);
	f.next = malloc(arcs * sizeof(*f.next));
	f.first = malloc(nodes * sizeof(*f.first));
	f.by = malloc(nodes * sizeof(*f.by));
	f.queue = malloc(nodes * sizeof(*f.queue));
	if (f.to && f.capacity && f.begin && f.next && f.first && f.by && f.queue) {
		build(&f, of_vertices);
		*connectivity = least(&f, of_vertices);
	} else {
		status =
			xt_fail(diag, XT_ERR_NOMEM, "out of memory for the flow in a network of %u cards", g->vertices);
	}
	free(f.to);
	free(f.capacity);
	free(f.begin);
	free(f.next);
	free(f.first);
	free(f.by);
	free(f.queue);
	return status;
}
