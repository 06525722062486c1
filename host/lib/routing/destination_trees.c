/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_trees.h"

#include <stdlib.h>

#include "extorus/profiles.h"
#include "topology/breadth_first.h"

unsigned xt_trees_distances(xt_trees_t *g, uint32_t dest)
{
	unsigned reached = xt_breadth_first(g->sender, g->cards, g->ports, dest, g->distance, g->queue);

	return g->distance[g->queue[reached - 1]];
}

void xt_trees_add_load(xt_trees_t *g, uint32_t dest)
{
	const xt_hop_t *hop = g->hop + (size_t)dest * g->cards;

	for (unsigned rank = 0; rank < g->in_service; rank++) {
		for (uint32_t card = g->by_rank[rank]; card != dest;) {
			unsigned port = hop[card].port;

			g->load[(size_t)card * g->ports + port]++;
			card = xt_trees_peer(g, card, port).card;
		}
	}
}

/* The root is a card of smallest eccentricity, the first one of these. */
static void rank_cards(xt_trees_t *g)
{
	unsigned least = UINT32_MAX, rank = 0;
	uint32_t root = 0;

	for (uint32_t card = 0; card < g->cards; card++) {
		unsigned eccentricity;

		if (xt_topology_card_failed(g->topology, card)) {
			continue;
		}
		eccentricity = xt_trees_distances(g, card);
		if (eccentricity < least) {
			least = eccentricity;
			root = card;
		}
	}
	xt_trees_distances(g, root);
	for (unsigned level = 0; level <= least; level++) {
		for (uint32_t card = 0; card < g->cards; card++) {
			if (g->distance[card] == level) {
				if (xt_topology_card_pes(g->topology, card)) {
					g->dest[g->dests++] = card;
				}
				g->by_rank[rank] = card;
				g->rank[card] = rank++;
			}
		}
	}
}

void xt_trees_free(xt_trees_t *g)
{
	free(g->peer);
	free(g->sender);
	free(g->by_rank);
	free(g->rank);
	free(g->dest);
	free(g->distance);
	free(g->queue);
	free(g->load);
	free(g->hop);
}

int xt_trees_make(xt_trees_t *g, const xt_topology_t *topology, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	unsigned cards = xt_topology_cards(topology);

	*g = (xt_trees_t){.topology = topology, .cards = cards, .ports = p->link_ports, .vcs = XT_MAX_VCS_PER_TC};
	g->in_service = cards - xt_topology_failed_cards(topology);
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		unsigned vcs = xt_profile_deterministic_vcs(p, tc);

		g->vcs = vcs < g->vcs ? vcs : g->vcs;
	}
	g->peer = calloc((size_t)cards * g->ports, sizeof(*g->peer));
	g->sender = calloc((size_t)cards * g->ports, sizeof(*g->sender));
	g->by_rank = calloc(cards, sizeof(*g->by_rank));
	g->rank = calloc(cards, sizeof(*g->rank));
	g->dest = calloc(cards, sizeof(*g->dest));
	g->distance = calloc(cards, sizeof(*g->distance));
	g->queue = calloc(cards, sizeof(*g->queue));
	g->load = calloc((size_t)cards * g->ports, sizeof(*g->load));
	g->hop = calloc((size_t)cards * cards, sizeof(*g->hop));
	if (!g->peer || !g->sender || !g->by_rank || !g->rank || !g->dest || !g->distance || !g->queue || !g->load ||
		!g->hop) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the routes between %u cards", cards);
	}
	for (unsigned card = 0; card < cards; card++) {
		for (unsigned port = 0; port < g->ports; port++) {
			g->peer[(size_t)card * g->ports + port] = xt_topology_peer(topology, card, port);
			g->sender[(size_t)card * g->ports + port] = xt_topology_sender(topology, card, port);
		}
	}
	rank_cards(g);
	return XT_OK;
}
