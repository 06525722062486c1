/* SPDX-License-Identifier: Apache-2.0
 *
 * Static figures of a network: distances and bisection. */
#include <stdlib.h>
#include <string.h>

#include "topology_internal.h"

/* Sum and maximum of the distances from one card; `distance` and `queue` have a place per card. */
static void breadth_first(
	const xt_topology_t *t, unsigned source, unsigned *distance, unsigned *queue, uint64_t *sum, unsigned *furthest)
{
	unsigned cards = xt_topology_cards(t), head = 0, tail = 0;

	memset(distance, 0xff, cards * sizeof(*distance));
	distance[source] = 0;
	queue[tail++] = source;
	while (head < tail) {
		unsigned card = queue[head++];

		*sum += distance[card];
		*furthest = distance[card]; /* the queue is in order of distance */
		for (unsigned port = 0; port < t->profile->link_ports; port++) {
			xt_peer_t peer = xt_topology_peer(t, card, port);

			if (peer.card != XT_NO_CARD && distance[peer.card] == UINT32_MAX) {
				distance[peer.card] = distance[card] + 1;
				queue[tail++] = peer.card;
			}
		}
	}
}

static void count_links(const xt_topology_t *t, xt_topology_metrics_t *m)
{
	unsigned ends = 0;

	for (unsigned side = 0; side < t->family->sides; side++) {
		unsigned degree = 0;

		for (unsigned port = 0; port < t->profile->link_ports; port++) {
			degree += xt_topology_peer(t, side, port).card != XT_NO_CARD;
		}
		ends += degree;
		m->degree = degree > m->degree ? degree : m->degree;
	}
	m->links = ends * t->nodes / 2;
}

static void bisection(const xt_topology_t *t, xt_topology_metrics_t *m)
{
	m->bisection_method = t->family->kind == XT_TOPOLOGY_TWIN ? "no closed form is known for a twin torus"
								  : "no closed form: the largest radix is odd";
	m->bisection = t->family->bisection ? t->family->bisection(t, &m->bisection_method) : -1;
}

int xt_topology_metrics(const xt_topology_t *t, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	unsigned cards = xt_topology_cards(t);
	unsigned *memory = malloc(2 * (size_t)cards * sizeof(*memory));
	uint64_t sum = 0;

	if (!memory) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	memset(m, 0, sizeof(*m));
	m->cards = cards;
	m->pes = xt_topology_pes(t);
	count_links(t, m);
	/* Every node sees the same network: rotating a ring moves any node to any other. So the cards of
	 * node 0 stand for all. */
	for (unsigned side = 0; side < t->family->sides; side++) {
		unsigned furthest = 0;

		breadth_first(t, side, memory, memory + cards, &sum, &furthest);
		m->diameter = furthest > m->diameter ? furthest : m->diameter;
	}
	free(memory);
	m->mean_distance_with_self = (double)sum / t->family->sides / cards;
	m->mean_distance = cards > 1 ? (double)sum / t->family->sides / (cards - 1) : 0.0;
	for (unsigned d = 0; d < t->dimensions; d++) {
		m->dimension_distance[d] = t->family->dimension_distance(t, d);
	}
	bisection(t, m);
	return XT_OK;
}
