/* SPDX-License-Identifier: Apache-2.0
 *
 * Layered shortest paths. The tree of a destination is grown from it, nearest cards first, as in Nue routing
 * (Domke, Hoefler and Matsuoka, Routing on the Dependency Graph, HPDC 2016): a card joins where the
 * dependency of its hop on the next one closes no cycle. As in layered shortest path routing (Skeie, Lysne
 * and Theiss, LASH, IPDPS 2002; Domke, Hoefler and Nagel, DFSSSP, IPDPS 2011) every VC is a layer with an
 * acyclic graph of its own. Packets start in any layer and only ever go up to a higher one, so that the
 * layers together have no cycle either. */
#include <stdlib.h>
#include <string.h>

#include "channel_order.h"
#include "profile.h"
#include "routing_graph.h"

typedef struct {
	xt_graph_t *g;
	xt_channel_order_t *order[XT_MAX_VCS_PER_TC];
	uint8_t *bad[XT_MAX_VCS_PER_TC]; /* [channel]: next ports that would close a cycle */
	bool reserved;                   /* the highest VC has the turns of up/down only */
	xt_hop_t *updown;                /* [card]: the tree of up/down to the destination at hand */
} layers_t;

/* Whether packets may go on from `channel` to port `next` of the card at its end, both on `vc`. A dependency
 * that would close a cycle is remembered, since none is ever taken away. */
static bool allowed(layers_t *l, unsigned vc, uint32_t channel, unsigned next)
{
	xt_graph_t *g = l->g;

	if (l->reserved && vc + 1 == g->vcs) {
		uint32_t here = channel / g->ports, middle = g->peer[channel].card;

		return g->rank[middle] < g->rank[here] ||
		       g->rank[xt_graph_peer(g, middle, next).card] > g->rank[middle];
	}
	if (xt_channel_order_has(l->order[vc], channel, next)) {
		return true;
	}
	if (!(l->bad[vc][channel] >> next & 1) && !xt_channel_order_closes(l->order[vc], channel, next)) {
		return true;
	}
	l->bad[vc][channel] |= (uint8_t)(1u << next);
	return false;
}

/* Adds a dependency that is allowed. */
static void depend(layers_t *l, unsigned vc, uint32_t channel, unsigned next)
{
	if (!(l->reserved && vc + 1 == l->g->vcs) && !xt_channel_order_has(l->order[vc], channel, next)) {
		xt_channel_order_add(l->order[vc], channel, next);
	}
}

/* The highest VC on which a packet may leave by `channel` to a card whose own hop is `next`, or -1. */
static int layer_of(layers_t *l, uint32_t channel, uint32_t dest, const xt_hop_t *next)
{
	if (l->g->peer[channel].card == dest) {
		return (int)l->g->vcs - 1;
	}
	if (allowed(l, next->vc, channel, next->port)) {
		return next->vc;
	}
	return (int)next->vc - 1;
}

/* Joins a card to the tree by one of its neighbours with `hops` links to go, on the highest layer, of these
 * by the link with the least load. */
static bool join(layers_t *l, uint32_t card, uint32_t dest, unsigned hops)
{
	xt_graph_t *g = l->g;
	xt_hop_t *hop = g->hop + (size_t)dest * g->cards;
	const uint64_t *load = g->load + (size_t)card * g->ports;
	int best = -1, best_port = -1;
	const xt_hop_t *next;

	for (unsigned port = 0; port < g->ports; port++) {
		uint32_t peer = xt_graph_peer(g, card, port).card;
		int vc;

		if (peer == XT_NO_CARD || !hop[peer].known || hop[peer].hops != hops) {
			continue;
		}
		vc = layer_of(l, card * g->ports + port, dest, &hop[peer]);
		if (vc > best || (vc == best && vc >= 0 && load[port] < load[best_port])) {
			best = vc;
			best_port = (int)port;
		}
	}
	if (best < 0) {
		return false;
	}
	hop[card] = (xt_hop_t){1, (uint8_t)best_port, (uint8_t)best, hops + 1};
	next = &hop[xt_graph_peer(g, card, (unsigned)best_port).card];
	if (next->hops > 0 && next->vc == best) {
		depend(l, (unsigned)best, card * g->ports + (unsigned)best_port, next->port);
	}
	return true;
}

/* False if some card found no place. */
static bool grow(layers_t *l, uint32_t dest)
{
	xt_graph_t *g = l->g;
	xt_hop_t *hop = g->hop + (size_t)dest * g->cards;
	unsigned done = 1, hops = 0, last = 0;

	memset(hop, 0, g->cards * sizeof(*hop));
	hop[dest].known = 1;
	/* Level by level; a card may have to wait for a longer way. */
	for (; done < g->in_service && hops <= last; hops++) {
		for (unsigned rank = 0; rank < g->in_service; rank++) {
			uint32_t card = g->by_rank[rank];

			if (!hop[card].known && join(l, card, dest, hops)) {
				last = hops + 1;
				done++;
			}
		}
	}
	return done == g->in_service;
}

static bool goes_up(const xt_graph_t *g, uint32_t card, const xt_hop_t *hop)
{
	return g->rank[xt_graph_peer(g, card, hop->port).card] < g->rank[card];
}

/* Gives cards that found no place the hops of up/down on the highest VC, as far as a card that is on that VC
 * already and goes on in a way that is legal there. Cards in between change over to it: whoever sends to them
 * is on a lower VC and now changes to a higher one, or came up and now goes down. */
static void rescue(layers_t *l, uint32_t dest)
{
	xt_graph_t *g = l->g;
	xt_hop_t *hop = g->hop + (size_t)dest * g->cards;

	xt_updown_tree(g, dest, g->vcs - 1, l->updown);
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		uint32_t card = g->by_rank[rank];
		bool came_down = false;

		if (hop[card].known) {
			continue;
		}
		while (card != dest && (!hop[card].known || hop[card].vc + 1 < (int)g->vcs ||
					       (came_down && goes_up(g, card, &hop[card])))) {
			hop[card] = l->updown[card];
			came_down = !goes_up(g, card, &hop[card]);
			card = xt_graph_peer(g, card, hop[card].port).card;
		}
	}
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		uint32_t start = g->by_rank[rank];

		hop[start].hops = 0;
		for (uint32_t card = start; card != dest; card = xt_graph_peer(g, card, hop[card].port).card) {
			hop[start].hops++;
		}
	}
}

/* Trees of all destinations; updown[dest] is set for those that up/down had to help. False, and not all are
 * made, if it had to and no VC is reserved for it. */
static bool grow_all(layers_t *l, uint8_t *updown)
{
	xt_graph_t *g = l->g;

	memset(g->load, 0, (size_t)g->cards * g->ports * sizeof(*g->load));
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		uint32_t dest = g->by_rank[rank];

		updown[dest] = !grow(l, dest);
		if (updown[dest] && !l->reserved) {
			return false;
		}
		if (updown[dest]) {
			rescue(l, dest);
		}
		xt_graph_add_load(g, dest);
	}
	return true;
}

static void free_layers(layers_t *l)
{
	for (unsigned vc = 0; vc < l->g->vcs; vc++) {
		xt_channel_order_free(l->order[vc]);
		free(l->bad[vc]);
	}
	free(l->updown);
}

static bool create_layers(layers_t *l, xt_graph_t *g, bool reserved)
{
	size_t channels = (size_t)g->cards * g->ports;
	bool ok;

	*l = (layers_t){.g = g, .reserved = reserved};
	l->updown = calloc(g->cards, sizeof(*l->updown));
	ok = l->updown != NULL;
	for (unsigned vc = 0; vc < g->vcs; vc++) {
		l->order[vc] = xt_channel_order_create(g->peer, g->cards, g->ports);
		l->bad[vc] = calloc(channels, 1);
		ok = ok && l->order[vc] && l->bad[vc];
	}
	return ok;
}

int xt_layered_trees(xt_graph_t *g, uint8_t *updown, xt_diag_t *diag)
{
	bool done = false;

	/* First with all VCs free; if that leaves some card without a way, with one that up/down can always use. */
	for (int reserved = 0; reserved < 2 && !done; reserved++) {
		layers_t l;
		bool ok = create_layers(&l, g, reserved);

		done = ok && grow_all(&l, updown);
		free_layers(&l);
		if (!ok) {
			return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the layers of %u cards", g->cards);
		}
	}
	return XT_OK;
}
