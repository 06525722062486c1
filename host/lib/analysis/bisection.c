/* SPDX-License-Identifier: Apache-2.0
 *
 * Bisection: the fewest links between two halves of the cards. By closed form, by trying all halves, or between an
 * upper bound, a cut that there is, and a lower one, by what the links of any cut must carry. */
#include <math.h>
#include <stdlib.h>

#include "flat_graph.h"
#include "metrics.h"
#include "topology/topology_internal.h"

enum {
	MOST_HALVED = 20,     /* cards for which all halves are tried */
	MOST_ROTATED = 8,     /* places at which a sweep may begin */
	MOST_MIRRORED = 8192, /* cards of a twin torus that is swept in both directions of every digit */
};

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

/* The least cut over all halves of up to 32 vertices. */
static unsigned cut_by_force(const xt_graph_t *g)
{
	unsigned best = UINT32_MAX;

	for (uint32_t half = 0; half < 1u << g->vertices; half++) {
		unsigned cut[2] = {0, 0};

		if ((unsigned)__builtin_popcount(half) != g->vertices / 2) {
			continue;
		}
		for (unsigned v = 0; v < g->vertices; v++) {
			unsigned side = half >> v & 1;

			for (unsigned arc = g->first[v]; arc < g->first[v + 1]; arc++) {
				cut[side] += (half >> g->peer[arc] & 1) != side;
			}
		}
		best = cut[0] < best ? cut[0] : best;
		best = cut[1] < best ? cut[1] : best;
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

/* Pairs of cards of which one is in each half. */
static double pairs_across(unsigned cards)
{
	return (double)(cards / 2) * (double)((cards + 1) / 2);
}

/* The links between halves, when a packet for each pair across loads none of them by more than `busiest`. */
static int64_t least_cut_of(unsigned cards, double busiest)
{
	return (int64_t)ceil(pairs_across(cards) / busiest - 1e-6);
}

/* What links carry of one packet for each unordered pair, from the loads of ports: of one for each ordered pair. */
static int lower_bound(
	const xt_topology_t *t, const xt_graph_t *g, const double *load, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	double *carried = malloc((g->links + 1) * sizeof(*carried)), busiest = 0;
	/* So little proves that a cut of m->bisection is the least. */
	double enough = m->bisection > 1 ? pairs_across(g->vertices) / ((double)m->bisection - 0.999) : INFINITY;
	unsigned ports = t->profile->link_ports;
	int status;

	if (!carried) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned link = 0; link < g->links; link++) {
		xt_peer_t end = g->sender[link], peer = xt_topology_peer(t, end.card, end.port);

		carried[link] =
			(load[(size_t)end.card * ports + end.port] + load[(size_t)peer.card * ports + peer.port]) / 2;
	}
	if ((status = xt_graph_spread(g, carried, enough, &busiest, diag)) == XT_OK) {
		m->bisection_at_least = least_cut_of(g->vertices, busiest);
	}
	free(carried);
	return status;
}

/* Of a small network, one from a file or one with failures. */
static int bisect_graph(
	const xt_topology_t *t, const xt_graph_t *g, const double *load, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	int status = XT_OK;

	if (g->vertices <= MOST_HALVED) {
		m->bisection = m->bisection_at_least = cut_by_force(g);
		m->bisection_method = "exhaustive: the least cut of all halves";
		return XT_OK;
	}
	m->bisection = xt_graph_bisect(g, diag);
	if (m->bisection < 0) {
		return (int)m->bisection;
	}
	/* The load says something of halves of all cards only if all of them send. */
	if (load && m->pes == m->cards * t->profile->nic_ports &&
		(status = lower_bound(t, g, load, m, diag)) != XT_OK) {
		return status;
	}
	m->bisection_method =
		!load ? "upper bound by a partitioner; too many cards for a lower one"
		: m->pes != m->cards * t->profile->nic_ports
			? "upper bound by a partitioner; no lower one with cards without a PE"
		: m->bisection == m->bisection_at_least
			? "partitioner, and no half can have fewer by the load of the busiest link"
			: "upper bound by a partitioner; the lower one is by the load of the busiest link";
	return XT_OK;
}

/* Half of the cards send to the other half over the links that are cut, and none of these carries more
 * than the busiest link does. */
static int64_t least_cut(const xt_topology_metrics_t *m)
{
	return m->uniform_limit > 0 ? least_cut_of(m->cards, m->cards / m->uniform_limit) : 0;
}

int xt_topology_bisection(const xt_topology_t *t, const double *load, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	unsigned cut = 0;
	int status;

	m->bisection = t->family->bisection && !t->wiring ? t->family->bisection(t, &m->bisection_method) : -1;
	if (m->bisection >= 0) {
		m->bisection_at_least = m->bisection;
		return XT_OK;
	}
	if (t->wiring || m->cards <= MOST_HALVED) {
		xt_graph_t graph;

		if ((status = xt_graph_begin(&graph, t, diag)) == XT_OK) {
			status = bisect_graph(t, &graph, load, m, diag);
		}
		xt_graph_end(&graph);
		return status;
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
