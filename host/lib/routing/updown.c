/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_trees.h"

/* Distances to `dest` over downward links only; those who have them get their hop. */
static void go_down(xt_trees_t *g, uint32_t dest, unsigned vc, xt_hop_t *hop)
{
	unsigned head = 0, tail = xt_trees_start(g, dest, hop);

	while (head < tail) {
		uint32_t card = g->queue[head++];

		for (unsigned port = 0; port < g->ports; port++) {
			xt_peer_t above = xt_trees_peer(g, card, port);
			xt_hop_t *h;

			if (above.card == XT_NO_CARD || g->rank[above.card] > g->rank[card]) {
				continue;
			}
			h = &hop[above.card];
			if (!h->known) {
				g->queue[tail++] = above.card;
				*h = (xt_hop_t){1, (uint8_t)above.port, (uint8_t)vc, hop[card].hops + 1};
			} else if (h->hops == hop[card].hops + 1 &&
				   g->load[(size_t)above.card * g->ports + above.port] <
					   g->load[(size_t)above.card * g->ports + h->port]) {
				h->port = (uint8_t)above.port;
			}
		}
	}
}

void xt_updown_tree(xt_trees_t *g, uint32_t dest, unsigned vc, xt_hop_t *hop)
{
	go_down(g, dest, vc, hop);
	/* The root comes down to everybody; all others have a card above them that is done already. */
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		uint32_t card = g->by_rank[rank];
		const uint64_t *load = g->load + (size_t)card * g->ports;
		xt_hop_t best = {0};

		if (hop[card].known) {
			continue;
		}
		for (unsigned port = 0; port < g->ports; port++) {
			uint32_t above = xt_trees_peer(g, card, port).card;

			if (above == XT_NO_CARD || g->rank[above] > rank) {
				continue;
			}
			if (!best.known || hop[above].hops + 1 < best.hops ||
				(hop[above].hops + 1 == best.hops && load[port] < load[best.port])) {
				best = (xt_hop_t){1, (uint8_t)port, (uint8_t)vc, hop[above].hops + 1};
			}
		}
		hop[card] = best;
	}
}
