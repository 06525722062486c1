/* SPDX-License-Identifier: Apache-2.0
 *
 * Static figures of a network: distances, the load that uniform traffic puts on the links.
 *
 * Moving the whole network by its period (a multiple of it) in a dimension maps links to links. So cards fall into
 * classes, and the search runs from one card of each. Uniform traffic from every card loads a link as much as the
 * traffic of these few cards loads all links of its class together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "topology/breadth_first.h"
#include "topology/topology_internal.h"

enum {
	MOST_VISITED = 1 << 22, /* sources times cards for which all shortest paths are counted */
};

/* Room for a search from one card, a place per card; and the sums over all searches. */
typedef struct {
	const xt_topology_t *topology;
	unsigned cards, ports;
	xt_peer_t *peer; /* [card * ports + port] */
	uint32_t *distance, *order;
	unsigned reached;
	double *paths, *passing; /* shortest paths to a card; of those, share of destinations behind it */
	uint64_t sources, sum;   /* of distances to cards with PEs */
	unsigned furthest;
	double *load; /* [class * ports + port]; NULL: not wanted */
} search_t;

/* Cards in service, or of these only those with PEs. */
static unsigned in_service(const xt_topology_t *t, bool with_pes)
{
	unsigned cards = 0;

	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		cards += !xt_topology_card_failed(t, card) && (!with_pes || xt_topology_card_pes(t, card));
	}
	return cards;
}

static void search_from(search_t *s, unsigned source)
{
	unsigned furthest = 0;

	s->reached = xt_shortest_paths(s->peer, s->cards, s->ports, source, s->distance, s->order, s->paths);
	for (unsigned i = 0; i < s->reached; i++) {
		if (xt_topology_card_pes(s->topology, s->order[i])) {
			furthest = s->distance[s->order[i]];
			s->sum += furthest;
		}
	}
	s->furthest = furthest > s->furthest ? furthest : s->furthest;
}

/* A packet from the source to every card, divided evenly over the shortest paths (Brandes' method). */
static void add_loads(search_t *s)
{
	memset(s->passing, 0, s->cards * sizeof(*s->passing));
	for (unsigned i = s->reached; i-- > 0;) {
		unsigned card = s->order[i];
		double *load = s->load + (size_t)xt_topology_class(s->topology, card) * s->ports;

		for (unsigned port = 0; port < s->ports; port++) {
			unsigned peer = s->peer[(size_t)card * s->ports + port].card;

			if (peer != XT_NO_CARD && s->distance[peer] == s->distance[card] + 1) {
				bool is_dest = xt_topology_card_pes(s->topology, peer) > 0;
				double share = s->paths[card] / s->paths[peer] * (is_dest + s->passing[peer]);

				load[port] += share;
				s->passing[card] += share;
			}
		}
	}
}

static void end_search(search_t *s)
{
	free(s->peer);
	free(s->distance);
	free(s->order);
	free(s->paths);
	free(s->passing);
	free(s->load);
}

static int begin_search(search_t *s, const xt_topology_t *t, xt_diag_t *diag)
{
	bool loads = (uint64_t)xt_topology_classes(t) * xt_topology_cards(t) <= MOST_VISITED;

	memset(s, 0, sizeof(*s));
	s->topology = t;
	s->cards = xt_topology_cards(t);
	s->ports = t->profile->link_ports;
	s->peer = malloc((size_t)s->cards * s->ports * sizeof(*s->peer));
	s->distance = malloc(s->cards * sizeof(*s->distance));
	s->order = malloc(s->cards * sizeof(*s->order));
	s->paths = malloc(s->cards * sizeof(*s->paths));
	s->passing = malloc(s->cards * sizeof(*s->passing));
	s->load = loads ? calloc((size_t)xt_topology_classes(t) * s->ports, sizeof(*s->load)) : NULL;
	if (!s->peer || !s->distance || !s->order || !s->paths || !s->passing || (loads && !s->load)) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned card = 0; card < s->cards; card++) {
		for (unsigned port = 0; port < s->ports; port++) {
			s->peer[(size_t)card * s->ports + port] = xt_topology_peer(t, card, port);
		}
	}
	return XT_OK;
}

static void count_links(const xt_topology_t *t, xt_topology_metrics_t *m)
{
	uint64_t ends = 0;

	for (unsigned card = 0; card < m->cards; card++) {
		unsigned degree = 0;

		for (unsigned port = 0; port < t->profile->link_ports; port++) {
			degree += xt_topology_peer(t, card, port).card != XT_NO_CARD;
		}
		ends += degree;
		m->degree = degree > m->degree ? degree : m->degree;
	}
	m->links = (unsigned)(t->family->directed ? ends : ends / 2);
}

/* Distances of a network in which nothing but paths along the dimensions is shortest, when there are too
 * many cards to search from each. */
static void distances_by_dimension(const xt_topology_t *t, xt_topology_metrics_t *m)
{
	for (unsigned d = 0; d < t->dimensions; d++) {
		m->diameter += t->family->open ? t->radix[d] - 1 : t->radix[d] / 2;
		m->mean_distance_with_self += t->family->dimension_distance(t, d);
	}
}

static int distances(search_t *s, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	const xt_topology_t *t = s->topology;
	unsigned cards = in_service(t, false), ends = in_service(t, true);
	bool search = s->load || t->wiring;

	if (!search) {
		distances_by_dimension(t, m);
	}
	for (unsigned card = 0; search && card < s->cards; card++) {
		if (!xt_topology_stands_for_class(t, card) || !xt_topology_card_pes(t, card)) {
			continue;
		}
		search_from(s, card);
		if (s->reached < cards) {
			return xt_fail(diag, XT_ERR_INVALID, "topology %s: card %u reaches %u of %u cards only",
				t->spec, card, s->reached, cards);
		}
		if (s->load) {
			add_loads(s);
		}
		s->sources++;
	}
	if (search) {
		m->diameter = s->furthest;
		m->mean_distance_with_self = (double)s->sum / (double)s->sources / ends;
	}
	m->mean_distance = ends > 1 ? m->mean_distance_with_self * ends / (ends - 1.0) : 0.0;
	return XT_OK;
}

static void link_loads(const search_t *s, xt_topology_metrics_t *m)
{
	const xt_topology_t *t = s->topology;
	double largest = 0, sum = 0;
	unsigned links = 0;

	for (unsigned d = 0; d < t->dimensions && !t->wiring; d++) {
		m->dimension_distance[d] = t->family->dimension_distance ? t->family->dimension_distance(t, d) : 0;
	}
	for (unsigned card = 0; s->load && card < s->cards; card++) {
		for (unsigned port = 0; xt_topology_stands_for_class(t, card) && port < s->ports; port++) {
			double load = s->load[(size_t)xt_topology_class(t, card) * s->ports + port];
			int d = xt_topology_port_dimension(t, card, port);

			if (xt_topology_peer(t, card, port).card == XT_NO_CARD) {
				continue;
			}
			links++;
			sum += load;
			largest = load > largest ? load : largest;
			if (d >= 0 && !t->wiring && !t->family->dimension_distance) {
				m->dimension_distance[d] += load / (double)s->sources / s->cards;
			}
		}
	}
	m->effective_bisection = largest > 0 ? pow(in_service(t, true), 2) / 4 / largest : 0;
	m->uniform_limit = largest > 0 ? (in_service(t, true) - 1.0) / largest : 0;
	m->link_balance = largest > 0 ? sum / links / largest : 0;
}

/* All but the bisection. The search ends with end_search, also after an error. */
static int measure(const xt_topology_t *t, search_t *search, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	int status;

	memset(m, 0, sizeof(*m));
	m->cards = xt_topology_cards(t);
	for (unsigned card = 0; card < m->cards; card++) {
		m->pes += xt_topology_card_pes(t, card);
	}
	if ((status = begin_search(search, t, diag)) != XT_OK) {
		return status;
	}
	count_links(t, m);
	if ((status = distances(search, m, diag)) == XT_OK) {
		link_loads(search, m);
	}
	return status;
}

int xt_topology_metrics(const xt_topology_t *t, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	search_t search;
	int status = measure(t, &search, m, diag);

	if (status == XT_OK) {
		status = xt_topology_bisection(t, search.load, m, diag);
	}
	end_search(&search);
	return status;
}

int xt_topology_loads(const xt_topology_t *t, xt_topology_metrics_t *m, xt_link_loads_t *loads, xt_diag_t *diag)
{
	search_t s;
	int status = measure(t, &s, m, diag);

	memset(loads, 0, sizeof(*loads));
	if (status == XT_OK && s.load) {
		loads->sources = (unsigned)s.sources;
		loads->load = malloc((size_t)s.sources * s.ports * sizeof(*loads->load));
		status = loads->load ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned card = 0; loads->load && card < s.cards; card++) {
		for (unsigned port = 0; xt_topology_stands_for_class(t, card) && port < s.ports; port++) {
			if (xt_topology_peer(t, card, port).card != XT_NO_CARD) {
				loads->load[loads->links++] =
					s.load[(size_t)xt_topology_class(t, card) * s.ports + port];
			}
		}
	}
	end_search(&s);
	return status;
}
