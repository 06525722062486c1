/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_trees.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "topology/breadth_first.h"

/* Of more cards only every n-th is tried as the root: all would take minutes. */
enum { MOST_ROOTS = 16384 };

static unsigned collect_ends(const xt_trees_t *g, uint32_t dest)
{
	unsigned count = 0;

	for (uint32_t card = 0; card < g->cards; card++) {
		if (xt_trees_ends(g, card, dest)) {
			g->queue[count++] = card;
		}
	}
	return count;
}

unsigned xt_trees_distances(xt_trees_t *g, uint32_t dest)
{
	unsigned ends = collect_ends(g, dest);
	unsigned reached = xt_breadth_first_of(g->sender, g->cards, g->ports, ends, g->distance, g->queue);

	return g->distance[g->queue[reached - 1]];
}

unsigned xt_trees_start(xt_trees_t *g, uint32_t dest, xt_hop_t *hop)
{
	unsigned ends = collect_ends(g, dest);

	memset(hop, 0, g->cards * sizeof(*hop));
	for (unsigned i = 0; i < ends; i++) {
		hop[g->queue[i]].known = 1;
	}
	return ends;
}

void xt_trees_add_load(xt_trees_t *g, uint32_t dest)
{
	const xt_hop_t *hop = g->hop + (size_t)dest * g->cards;

	for (unsigned rank = 0; rank < g->in_service; rank++) {
		for (uint32_t card = g->by_rank[rank]; !xt_trees_ends(g, card, dest);) {
			unsigned port = hop[card].port;

			g->load[(size_t)card * g->ports + port]++;
			card = xt_trees_peer(g, card, port).card;
		}
	}
}

unsigned xt_trees_card_distances(xt_trees_t *g, uint32_t card)
{
	unsigned reached = xt_breadth_first(g->sender, g->cards, g->ports, card, g->distance, g->queue);

	return g->distance[g->queue[reached - 1]];
}

/* The root is the first of those with the smallest eccentricity among the cards tried. */
static void rank_cards(xt_trees_t *g)
{
	unsigned least = UINT32_MAX, rank = 0, step = (g->cards - 1) / MOST_ROOTS + 1;
	uint32_t root = 0;

	for (uint32_t card = 0; card < g->cards; card++) {
		unsigned eccentricity;

		if ((card % step && least != UINT32_MAX) || xt_topology_card_failed(g->topology, g->number[card])) {
			continue;
		}
		eccentricity = xt_trees_card_distances(g, card);
		if (eccentricity < least) {
			least = eccentricity;
			root = card;
		}
	}
	xt_trees_card_distances(g, root);
	for (unsigned level = 0; level <= least; level++) {
		for (uint32_t card = 0; card < g->cards; card++) {
			if (g->distance[card] == level) {
				g->by_rank[rank] = card;
				g->rank[card] = rank++;
			}
		}
	}
}

void xt_trees_free(xt_trees_t *g)
{
	free(g->number);
	free(g->peer);
	free(g->sender);
	free(g->by_rank);
	free(g->rank);
	free(g->dest);
	free(g->end);
	free(g->distance);
	free(g->queue);
	free(g->load);
	free(g->hop);
}

static int allocate(xt_trees_t *g, const xt_topology_t *topology, unsigned cards, unsigned dests, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);

	*g = (xt_trees_t){.topology = topology, .cards = cards, .ports = p->link_ports, .vcs = XT_MAX_VCS_PER_TC};
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		unsigned vcs = xt_profile_deterministic_vcs(p, tc);

		g->vcs = vcs < g->vcs ? vcs : g->vcs;
	}
	g->number = calloc(cards, sizeof(*g->number));
	g->peer = calloc((size_t)cards * g->ports, sizeof(*g->peer));
	g->sender = calloc((size_t)cards * g->ports, sizeof(*g->sender));
	g->by_rank = calloc(cards, sizeof(*g->by_rank));
	g->rank = calloc(cards, sizeof(*g->rank));
	g->dest = calloc(dests, sizeof(*g->dest));
	g->end = calloc(cards, sizeof(*g->end));
	g->distance = calloc(cards, sizeof(*g->distance));
	g->queue = calloc(cards, sizeof(*g->queue));
	g->load = calloc((size_t)cards * g->ports, sizeof(*g->load));
	g->hop = calloc((size_t)dests * cards, sizeof(*g->hop));
	if (!g->number || !g->peer || !g->sender || !g->by_rank || !g->rank || !g->dest || !g->end || !g->distance ||
		!g->queue || !g->load || !g->hop) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the routes between %u cards", cards);
	}
	return XT_OK;
}

/* All cards of the topology, with all links. */
static int make_whole(xt_trees_t *g, const xt_topology_t *topology, unsigned dests, xt_diag_t *diag)
{
	unsigned cards = xt_topology_cards(topology);
	int status = allocate(g, topology, cards, dests, diag);

	if (status != XT_OK) {
		return status;
	}
	g->in_service = cards - xt_topology_failed_cards(topology);
	for (unsigned card = 0; card < cards; card++) {
		g->number[card] = g->end[card] = card;
		for (unsigned port = 0; port < g->ports; port++) {
			g->peer[(size_t)card * g->ports + port] = xt_topology_peer(topology, card, port);
			g->sender[(size_t)card * g->ports + port] = xt_topology_sender(topology, card, port);
		}
	}
	rank_cards(g);
	return XT_OK;
}

/* Each card in service with a PE. */
static void take_cards(xt_trees_t *g)
{
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		if (xt_topology_card_pes(g->topology, g->number[g->by_rank[rank]])) {
			g->dest[g->dests++] = g->by_rank[rank];
		}
	}
}

int xt_trees_make(xt_trees_t *g, const xt_topology_t *topology, xt_diag_t *diag)
{
	int status = make_whole(g, topology, xt_topology_cards(topology), diag);

	if (status == XT_OK) {
		take_cards(g);
	}
	return status;
}

int xt_trees_make_to_groups(
	xt_trees_t *g, const xt_topology_t *topology, unsigned groups, const uint32_t *group, xt_diag_t *diag)
{
	int status = make_whole(g, topology, groups, diag);

	if (status == XT_OK) {
		memcpy(g->end, group, g->cards * sizeof(*g->end));
		for (uint32_t dest = 0; dest < groups; dest++) {
			if (collect_ends(g, dest)) {
				g->dest[g->dests++] = dest;
			}
		}
	}
	return status;
}

/* The end within the group, or none. */
static xt_peer_t inside(const uint32_t *place, const uint32_t *group, uint32_t which, xt_peer_t end)
{
	if (end.card == XT_NO_CARD || group[end.card] != which) {
		return (xt_peer_t){XT_NO_CARD, 0};
	}
	return (xt_peer_t){place[end.card], end.port};
}

int xt_trees_make_within(
	xt_trees_t *g, const xt_topology_t *topology, const uint32_t *group, uint32_t which, xt_diag_t *diag)
{
	unsigned all = xt_topology_cards(topology), cards = 0;
	uint32_t *place = calloc(all, sizeof(*place));
	int status;

	for (uint32_t card = 0; place && card < all; card++) {
		if (group[card] == which) {
			place[card] = cards++;
		}
	}
	status = allocate(g, topology, cards, cards, diag);
	if (status != XT_OK || !place) {
		free(place);
		return status == XT_OK ? xt_fail(diag, XT_ERR_NOMEM, "out of memory") : status;
	}
	for (uint32_t card = 0; card < all; card++) {
		uint32_t here = place[card];

		if (group[card] != which) {
			continue;
		}
		g->number[here] = card;
		g->end[here] = here;
		for (unsigned port = 0; port < g->ports; port++) {
			g->peer[(size_t)here * g->ports + port] =
				inside(place, group, which, xt_topology_peer(topology, card, port));
			g->sender[(size_t)here * g->ports + port] =
				inside(place, group, which, xt_topology_sender(topology, card, port));
		}
	}
	free(place);
	g->in_service = cards;
	rank_cards(g);
	take_cards(g);
	return XT_OK;
}
