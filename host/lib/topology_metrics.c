/* SPDX-License-Identifier: Apache-2.0
 *
 * Static figures of a network: distances, the load that uniform traffic puts on the links, bisection.
 *
 * Moving the whole network by its period (a multiple of it) in a dimension maps links to links, so cards fall
 * into classes and one card of each is searched from. A packet from every card to every card then loads a link
 * as much as the packets from these few cards load all links of its class together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology_internal.h"

enum {
	MOST_HALVED = 20,       /* cards for which all halves are tried */
	MOST_VISITED = 1 << 22, /* sources times cards for which all shortest paths are counted */
	MOST_ROTATED = 8,       /* places at which a sweep may begin */
	MOST_MIRRORED = 8192,   /* cards of a twin torus that is swept in both directions of every digit */
};

/* Room for a search from one card, a place per card; and the sums over all searches. */
typedef struct {
	const xt_topology_t *topology;
	unsigned cards, ports;
	unsigned *distance, *order, reached;
	double *paths, *passing; /* shortest paths to a card; of those, share of destinations behind it */
	uint64_t sources, sum;   /* of distances */
	unsigned furthest;
	double *load; /* [class * ports + port]; NULL: not wanted */
} search_t;

unsigned xt_topology_largest_radix(const xt_topology_t *t)
{
	unsigned largest = 1;

	for (unsigned d = 0; d < t->dimensions; d++) {
		largest = t->radix[d] > largest ? t->radix[d] : largest;
	}
	return largest;
}

/* Cards that differ by a multiple of the period in each dimension are of one class: moving the network by
 * that much changes nothing. */
static unsigned class_of(const xt_topology_t *t, unsigned card)
{
	unsigned class = 0;

	if (t->wiring) {
		return card;
	}
	for (unsigned d = t->dimensions; d-- > 0;) {
		class = class * t->period[d] + xt_topology_coordinate(t, card, d) % t->period[d];
	}
	return class * t->family->sides + card % t->family->sides;
}

static unsigned classes(const xt_topology_t *t)
{
	unsigned product = t->family->sides;

	if (t->wiring) {
		return xt_topology_cards(t);
	}
	for (unsigned d = 0; d < t->dimensions; d++) {
		product *= t->period[d];
	}
	return product;
}

/* Whether a card is the first of its class and in service. */
static bool stands_for_class(const xt_topology_t *t, unsigned card)
{
	if (t->wiring) {
		return !t->wiring->failed[card];
	}
	for (unsigned d = 0; d < t->dimensions; d++) {
		if (xt_topology_coordinate(t, card, d) >= t->period[d]) {
			return false;
		}
	}
	return true;
}

static void breadth_first(search_t *s, unsigned source)
{
	unsigned head = 0;

	memset(s->distance, 0xff, s->cards * sizeof(*s->distance));
	memset(s->paths, 0, s->cards * sizeof(*s->paths));
	s->distance[source] = 0;
	s->paths[source] = 1;
	s->order[0] = source;
	s->reached = 1;
	while (head < s->reached) {
		unsigned card = s->order[head++];

		s->sum += s->distance[card];
		for (unsigned port = 0; port < s->ports; port++) {
			unsigned peer = xt_topology_peer(s->topology, card, port).card;

			if (peer == XT_NO_CARD) {
				continue;
			}
			if (s->distance[peer] == UINT32_MAX) {
				s->distance[peer] = s->distance[card] + 1;
				s->order[s->reached++] = peer;
			}
			if (s->distance[peer] == s->distance[card] + 1) {
				s->paths[peer] += s->paths[card];
			}
		}
	}
	/* The order is that of distance. */
	head = s->distance[s->order[s->reached - 1]];
	s->furthest = head > s->furthest ? head : s->furthest;
}

/* A packet from the source to every card, divided evenly over the shortest paths (Brandes' method). */
static void add_loads(search_t *s)
{
	memset(s->passing, 0, s->cards * sizeof(*s->passing));
	for (unsigned i = s->reached; i-- > 0;) {
		unsigned card = s->order[i];
		double *load = s->load + (size_t)class_of(s->topology, card) * s->ports;

		for (unsigned port = 0; port < s->ports; port++) {
			unsigned peer = xt_topology_peer(s->topology, card, port).card;

			if (peer != XT_NO_CARD && s->distance[peer] == s->distance[card] + 1) {
				double share = s->paths[card] / s->paths[peer] * (1 + s->passing[peer]);

				load[port] += share;
				s->passing[card] += share;
			}
		}
	}
}

static void end_search(search_t *s)
{
	free(s->distance);
	free(s->order);
	free(s->paths);
	free(s->passing);
	free(s->load);
}

static int begin_search(search_t *s, const xt_topology_t *t, xt_diag_t *diag)
{
	bool loads = (uint64_t)classes(t) * xt_topology_cards(t) <= MOST_VISITED;

	memset(s, 0, sizeof(*s));
	s->topology = t;
	s->cards = xt_topology_cards(t);
	s->ports = t->profile->link_ports;
	s->distance = malloc(s->cards * sizeof(*s->distance));
	s->order = malloc(s->cards * sizeof(*s->order));
	s->paths = malloc(s->cards * sizeof(*s->paths));
	s->passing = malloc(s->cards * sizeof(*s->passing));
	s->load = loads ? calloc((size_t)classes(t) * s->ports, sizeof(*s->load)) : NULL;
	if (!s->distance || !s->order || !s->paths || !s->passing || (loads && !s->load)) {
		end_search(s);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
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
	unsigned cards = s->cards - xt_topology_failed_cards(t);
	bool search = s->load || t->wiring;

	if (!search) {
		distances_by_dimension(t, m);
	}
	for (unsigned card = 0; search && card < s->cards; card++) {
		if (!stands_for_class(t, card)) {
			continue;
		}
		breadth_first(s, card);
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
		m->mean_distance_with_self = (double)s->sum / (double)s->sources / cards;
	}
	m->mean_distance = cards > 1 ? m->mean_distance_with_self * cards / (cards - 1.0) : 0.0;
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
		for (unsigned port = 0; stands_for_class(t, card) && port < s->ports; port++) {
			double load = s->load[(size_t)class_of(t, card) * s->ports + port];
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
	m->uniform_limit = largest > 0 ? (s->cards - xt_topology_failed_cards(t)) / largest : 0;
	m->link_balance = largest > 0 ? sum / links / largest : 0;
}

/* Links from a half of the cards to the other half, or back if those are fewer. */
static unsigned cut_of(const xt_topology_t *t, const unsigned char *half)
{
	unsigned cut[2] = {0, 0};

	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		for (unsigned port = 0; port < t->profile->link_ports; port++) {
			unsigned peer = xt_topology_peer(t, card, port).card;

			if (peer != XT_NO_CARD && half[card] != half[peer]) {
				cut[half[card]]++;
			}
		}
	}
	return cut[0] < cut[1] ? cut[0] : cut[1];
}

/* The least cut over all halves. */
static unsigned cut_by_force(const xt_topology_t *t)
{
	unsigned cards = xt_topology_cards(t), best = UINT32_MAX, ports = t->profile->link_ports;
	uint32_t peers[MOST_HALVED][XT_MAX_LINK_PORTS];

	for (unsigned card = 0; card < cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			unsigned peer = xt_topology_peer(t, card, port).card;

			peers[card][port] = peer == XT_NO_CARD ? 0 : 1u << peer;
		}
	}
	for (uint32_t half = 0; half < 1u << cards; half++) {
		unsigned out = 0, in = 0;

		if ((unsigned)__builtin_popcount(half) != cards / 2) {
			continue;
		}
		for (unsigned card = 0; card < cards; card++) {
			bool inside = half >> card & 1;
			uint32_t others = inside ? ~half : half;

			for (unsigned port = 0; port < ports; port++) {
				unsigned cut = (peers[card][port] & others) != 0;

				out += inside ? cut : 0;
				in += inside ? 0 : cut;
			}
		}
		out = in < out ? in : out;
		best = out < best ? out : best;
	}
	return best;
}

/* Fills `half` with the first half of the cards when they are sorted by the digits in `order` (last the
 * most significant; the digit after the dimensions is the side), of which the most significant one begins at
 * `rotation` and those in the mask `mirrored` run downwards. */
static void sweep(
	const xt_topology_t *t, const unsigned *order, unsigned rotation, unsigned mirrored, unsigned char *half)
{
	unsigned cards = xt_topology_cards(t);

	for (unsigned card = 0; card < cards; card++) {
		uint64_t place = 0;

		for (unsigned i = t->dimensions + 1; i-- > 0;) {
			unsigned d = order[i], side = d == t->dimensions;
			unsigned radix = side ? t->family->sides : t->radix[d];
			unsigned digit = side ? card % t->family->sides : xt_topology_coordinate(t, card, d);

			digit = i == t->dimensions ? (digit + rotation) % radix : digit;
			place = place * radix + (mirrored >> d & 1 ? radix - 1 - digit : digit);
		}
		half[card] = place < cards / 2;
	}
}

/* The least cut of one order of the digits. */
static unsigned cut_by_order(const xt_topology_t *t, const unsigned *order, unsigned char *half)
{
	unsigned top = order[t->dimensions], best = UINT32_MAX, rotations = 1, mirrors = 1;

	if (top < t->dimensions && !t->family->open && t->period[top] <= MOST_ROTATED) {
		rotations = t->period[top];
	}
	if (t->family->sides == 2 && xt_topology_cards(t) <= MOST_MIRRORED) {
		mirrors = 2u << t->dimensions;
	}
	for (unsigned i = 0; i < rotations * mirrors; i++) {
		unsigned cut;

		sweep(t, order, i % rotations, i / rotations, half);
		cut = cut_of(t, half);
		best = cut < best ? cut : best;
	}
	return best;
}

/* The least cut over planes: each digit in turn the most significant, the others in ascending and in
 * descending order. Where the planes do not halve the cards the last one is divided in the same way. */
static int cut_by_sweep(const xt_topology_t *t, unsigned *best, xt_diag_t *diag)
{
	unsigned char *half = malloc(xt_topology_cards(t));
	unsigned digits = t->dimensions + 1;

	if (!half) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	*best = UINT32_MAX;
	for (unsigned first = 0; first < 2 * digits; first++) {
		unsigned top = first / 2, order[XT_MAX_DIMENSIONS + 1], next = 0, cut;

		for (unsigned i = 0; i < digits; i++) {
			unsigned d = first % 2 ? digits - 1 - i : i;

			if (d != top) {
				order[next++] = d;
			}
		}
		order[next] = top;
		cut = cut_by_order(t, order, half);
		*best = cut < *best ? cut : *best;
	}
	free(half);
	return XT_OK;
}

/* Half of the cards send to the other half over the links that are cut, and none of these carries more
 * than the busiest link does. */
static int64_t least_cut(const xt_topology_metrics_t *m)
{
	double pairs = (double)(m->cards / 2) * (double)((m->cards + 1) / 2);

	return m->uniform_limit > 0 ? (int64_t)ceil(pairs * m->uniform_limit / m->cards - 1e-6) : 0;
}

static int bisection(const xt_topology_t *t, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	unsigned cut = 0;
	int status;

	if (t->wiring) {
		m->bisection = m->bisection_at_least = -1;
		m->bisection_method = "no closed form for a network from a file or with failures";
		return XT_OK;
	}
	m->bisection = t->family->bisection ? t->family->bisection(t, &m->bisection_method) : -1;
	if (m->bisection >= 0) {
		m->bisection_at_least = m->bisection;
		return XT_OK;
	}
	if (m->cards <= MOST_HALVED) {
		m->bisection = m->bisection_at_least = cut_by_force(t);
		m->bisection_method = "exhaustive: the least cut of all halves";
		return XT_OK;
	}
	if ((status = cut_by_sweep(t, &cut, diag)) != XT_OK) {
		return status;
	}
	m->bisection = cut;
	m->bisection_at_least = least_cut(m);
	m->bisection_method = m->uniform_limit == 0 ? "upper bound by plane sweep; too many cards for a lower one"
			      : m->bisection == m->bisection_at_least
				      ? "plane sweep, and no half can have fewer by the load of the busiest link"
				      : "upper bound by plane sweep; the lower one is by the load of the busiest link";
	return XT_OK;
}

int xt_topology_metrics(const xt_topology_t *t, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	search_t search;
	int status;

	memset(m, 0, sizeof(*m));
	m->cards = xt_topology_cards(t);
	m->pes = xt_topology_pes(t);
	if ((status = begin_search(&search, t, diag)) != XT_OK) {
		return status;
	}
	count_links(t, m);
	if ((status = distances(&search, m, diag)) == XT_OK) {
		link_loads(&search, m);
		status = bisection(t, m, diag);
	}
	end_search(&search);
	return status;
}
