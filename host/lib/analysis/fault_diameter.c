/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/fault_diameter.h"

#include <stdlib.h>
#include <string.h>

#include "flat_graph.h"
#include "topology/topology_internal.h"

/* A fault is a link or a vertex by its number. */
typedef struct {
	const xt_graph_t *graph;
	bool cards;
	unsigned char *failed, *kept; /* [fault]: it has failed; it is assumed not to */
	unsigned *distance, *queue;   /* [vertex] */
	unsigned *from, *by;          /* [vertex]: vertex and link from which it was reached */
	unsigned chosen[XT_MOST_FAULTS], count;
	uint64_t steps;
	xt_fault_diameter_t *result;
} cases_t;

static const uint64_t most_steps = UINT64_C(1) << 30;

/* Length of a shortest path; UINT32_MAX if there is none. */
static unsigned search(cases_t *c, unsigned source, unsigned dest)
{
	const xt_graph_t *g = c->graph;
	unsigned head = 0, tail = 0;

	memset(c->distance, 0xff, g->vertices * sizeof(*c->distance));
	c->distance[source] = 0;
	c->queue[tail++] = source;
	c->result->searches++;
	while (head < tail && c->distance[dest] == UINT32_MAX) {
		unsigned v = c->queue[head++];

		for (unsigned arc = g->first[v]; arc < g->first[v + 1]; arc++) {
			unsigned peer = g->peer[arc];

			if (c->distance[peer] == UINT32_MAX && !c->failed[c->cards ? peer : g->link[arc]]) {
				c->distance[peer] = c->distance[v] + 1;
				c->from[peer] = v;
				c->by[peer] = g->link[arc];
				c->queue[tail++] = peer;
			}
		}
	}
	c->steps += tail + g->vertices / 16;
	return c->distance[dest];
}

/* What could fail on the path that was found, from its end on. */
static unsigned faults_of(const cases_t *c, unsigned source, unsigned dest, unsigned *fault)
{
	unsigned count = 0;

	for (unsigned v = dest; v != source; v = c->from[v]) {
		if (!c->cards) {
			fault[count++] = c->by[v];
		} else if (c->from[v] != source) {
			fault[count++] = c->from[v];
		}
	}
	return count;
}

/* Whether there are so many paths that no `faults` faults hit them all, none longer than the diameter so far: looked
 * for greedily. `fault` is room for those of one path after another. */
static bool is_short(cases_t *c, unsigned source, unsigned dest, unsigned faults, unsigned *fault)
{
	unsigned taken = 0, paths = 0;
	bool safe = false;

	while (!safe && paths <= faults && search(c, source, dest) <= c->result->diameter) {
		unsigned count = faults_of(c, source, dest, fault + taken), loose = 0;

		for (unsigned i = 0; i < count; i++) {
			unsigned one = fault[taken + i];

			if (!c->kept[one]) {
				c->failed[one] = 1;
				fault[taken + loose++] = one;
			}
		}
		taken += loose;
		paths++;
		safe = loose == 0;
	}
	while (taken > 0) {
		c->failed[fault[--taken]] = 0;
	}
	return safe || paths > faults;
}

static void note(cases_t *c, unsigned source, unsigned dest, unsigned distance)
{
	xt_fault_diameter_t *r = c->result;

	r->diameter = distance;
	r->source = c->graph->card[source];
	r->dest = c->graph->card[dest];
	r->failed = c->count;
	for (unsigned i = 0; i < c->count; i++) {
		r->failures[i] =
			c->cards ? (xt_peer_t){c->graph->card[c->chosen[i]], 0} : c->graph->sender[c->chosen[i]];
	}
}

/* Tries all `faults` more faults that can make the way longer. One of them is on the shortest path: the first from its
 * end on is tried in turn, those before it are then kept. False: too many. `fault` is room for the paths of all
 * levels. */
static bool try_faults(cases_t *c, unsigned source, unsigned dest, unsigned faults, unsigned *fault)
{
	unsigned distance, count, done = 0;
	bool fits = true;

	if (c->steps > most_steps) {
		return false;
	}
	if (is_short(c, source, dest, faults, fault)) {
		return true;
	}
	distance = search(c, source, dest);
	if (distance > c->result->diameter) {
		note(c, source, dest, distance);
	}
	count = faults > 0 ? faults_of(c, source, dest, fault) : 0;
	for (unsigned i = 0; fits && i < count; i++) {
		if (c->kept[fault[i]]) {
			continue;
		}
		c->failed[fault[i]] = 1;
		c->chosen[c->count++] = fault[i];
		fits = try_faults(c, source, dest, faults - 1, fault + count);
		c->count--;
		c->failed[fault[i]] = 0;
		c->kept[fault[i]] = 1;
		fault[done++] = fault[i];
	}
	while (done > 0) {
		c->kept[fault[--done]] = 0;
	}
	return fits;
}

/* Cards that are alike as sources are tried once; between two-way links each pair in one direction. */
static bool try_all(const xt_topology_t *t, cases_t *c, unsigned *fault,
	void (*progress)(void *context, uint64_t done, uint64_t total), void *context)
{
	const xt_graph_t *g = c->graph;

	for (unsigned source = 0; source < g->vertices; source++) {
		bool each_once = t->wiring != NULL;

		for (unsigned dest = each_once ? source + 1 : 0;
			xt_topology_stands_for_class(t, g->card[source]) && dest < g->vertices; dest++) {
			if (dest != source && !try_faults(c, source, dest, c->result->faults, fault)) {
				return false;
			}
		}
		if (progress) {
			progress(context, source + 1, g->vertices);
		}
	}
	return true;
}

static int begin(
	const xt_topology_t *t, const xt_graph_t *g, bool cards, int faults, xt_fault_diameter_t *r, xt_diag_t *diag)
{
	const char *what = cards ? "card" : "link";
	int status = xt_graph_connectivity(g, cards, &r->connectivity, diag);

	if (status != XT_OK) {
		return status;
	}
	r->faults = faults >= 0 ? (unsigned)faults : r->connectivity > 0 ? r->connectivity - 1 : 0;
	if (r->faults > 0 && r->faults >= r->connectivity) {
		return xt_fail(diag, XT_ERR_RANGE,
			"%s: %u failed %ss can take all ways from a card to another one; let %u or fewer fail", t->spec,
			r->faults, what, r->connectivity > 0 ? r->connectivity - 1 : 0);
	}
	return XT_OK;
}

static int run(const xt_topology_t *t, const xt_graph_t *g, bool cards,
	void (*progress)(void *context, uint64_t done, uint64_t total), void *context, xt_fault_diameter_t *r,
	xt_diag_t *diag)
{
	cases_t c = {.graph = g, .cards = cards, .result = r};
	size_t most = g->vertices > g->links ? g->vertices : g->links;
	/* A path has fewer faults than there are vertices; one for each level, and those that are disjoint. */
	unsigned *fault = malloc((size_t)g->vertices * (2 * XT_MOST_FAULTS + 2) * sizeof(*fault));
	int status = XT_OK;

	c.failed = calloc(most + 1, 1);
	c.kept = calloc(most + 1, 1);
	c.distance = malloc(g->vertices * sizeof(*c.distance));
	c.queue = malloc(g->vertices * sizeof(*c.queue));
	c.from = malloc(g->vertices * sizeof(*c.from));
	c.by = malloc(g->vertices * sizeof(*c.by));
	if (!fault || !c.failed || !c.kept || !c.distance || !c.queue || !c.from || !c.by) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	} else if (!try_all(t, &c, fault, progress, context)) {
		status = xt_fail(diag, XT_ERR_RANGE,
			"%s: there are too many ways to let %u %s fail to try them all; let fewer fail", t->spec,
			r->faults, cards ? "cards" : "links");
	}
	free(fault);
	free(c.failed);
	free(c.kept);
	free(c.distance);
	free(c.queue);
	free(c.from);
	free(c.by);
	return status;
}

int xt_topology_fault_diameter(const xt_topology_t *t, bool cards, int faults,
	void (*progress)(void *context, uint64_t done, uint64_t total), void *context, xt_fault_diameter_t *result,
	xt_diag_t *diag)
{
	xt_graph_t graph;
	int status;

	memset(result, 0, sizeof(*result));
	if (faults > XT_MOST_FAULTS) {
		return xt_fail(diag, XT_ERR_RANGE, "%s: %d faults are more than the %d that can be tried", t->spec,
			faults, XT_MOST_FAULTS);
	}
	if (xt_topology_cards(t) > XT_MOST_FAULT_CARDS) {
		return xt_fail(diag, XT_ERR_RANGE,
			"%s: the fault diameter is looked for in networks of up to %d cards, not %u", t->spec,
			XT_MOST_FAULT_CARDS, xt_topology_cards(t));
	}
	if ((status = xt_graph_begin(&graph, t, diag)) == XT_OK &&
		(status = begin(t, &graph, cards, faults, result, diag)) == XT_OK) {
		status = run(t, &graph, cards, progress, context, result, diag);
	}
	xt_graph_end(&graph);
	return status;
}
