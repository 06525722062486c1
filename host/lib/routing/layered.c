/* SPDX-License-Identifier: Apache-2.0
 *
 * Layered shortest paths. The tree of a destination grows from the destination, nearest cards first, as in Nue
 * routing (Domke, Hoefler and Matsuoka, Routing on the Dependency Graph, HPDC 2016). A card joins where the
 * dependency of its hop on the next one closes no cycle.
 *
 * Every VC is a layer with an acyclic graph of its own, as in layered shortest path routing.
 * Sources: Skeie, Lysne and Theiss, LASH, IPDPS 2002; Domke, Hoefler and Nagel, DFSSSP, IPDPS 2011.
 * Packets start in any layer and only ever go up to a higher one, so the layers together have no cycle either.
 *
 * A card may find no way. Therefore Nue has an escape: ways from all cards to a root, and a tree from the root to
 * all cards. Their dependencies are in the graphs before any other. In a two-way network they are those of up/down
 * on a spanning tree and share the highest VC. In a one-way network the ways up and down may use the same links, so
 * each gets one of the two highest VCs. Two VCs suffice for any network in which every card reaches every other. */
#include <stdlib.h>
#include <string.h>

#include "acyclic_order.h"
#include "destination_trees.h"
#include "extorus/profile.h"
#include "topology/breadth_first.h"

/* Ways that are always there, from any card to any other: up to the root, and down the tree. */
typedef struct {
	unsigned up_vc, down_vc;
	uint8_t *up;     /* [card]: port to a card nearer to the root */
	uint32_t *above; /* [card]: the channel by which the tree comes to it */
	xt_hop_t *hop;   /* [card]: to the destination at hand */
	uint8_t *in_use; /* [card]: has that hop */
} escape_t;

typedef struct {
	xt_trees_t *g;
	xt_acyclic_order_t *order[XT_MAX_VCS_PER_TC];
	uint16_t *bad[XT_MAX_VCS_PER_TC]; /* [channel]: next ports that would close a cycle */
	bool reserved;                    /* the dependencies of the escape are there */
	escape_t escape;
} layers_t;

/* Whether packets may go on from `channel` to port `next` of the card at its end, both on `vc`. A dependency
 * that would close a cycle is remembered, since none is ever taken away. */
static bool allowed(layers_t *l, unsigned vc, uint32_t channel, unsigned next)
{
	if (xt_acyclic_order_has(l->order[vc], channel, next)) {
		return true;
	}
	if (!(l->bad[vc][channel] >> next & 1) && !xt_acyclic_order_closes(l->order[vc], channel, next)) {
		return true;
	}
	l->bad[vc][channel] |= (uint16_t)(1u << next);
	return false;
}

/* Adds a dependency that is allowed. */
static void depend(layers_t *l, unsigned vc, uint32_t channel, unsigned next)
{
	if (!xt_acyclic_order_has(l->order[vc], channel, next)) {
		xt_acyclic_order_add(l->order[vc], channel, next);
	}
}

/* The highest VC on which a packet may leave by `channel` to a card whose own hop is `next`, or -1. */
static int layer_of(layers_t *l, uint32_t channel, uint32_t dest, const xt_hop_t *next)
{
	if (xt_trees_ends(l->g, l->g->peer[channel].card, dest)) {
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
	xt_trees_t *g = l->g;
	xt_hop_t *hop = g->hop + (size_t)dest * g->cards;
	const uint64_t *load = g->load + (size_t)card * g->ports;
	int best = -1, best_port = -1;
	const xt_hop_t *next;

	for (unsigned port = 0; port < g->ports; port++) {
		uint32_t peer = xt_trees_peer(g, card, port).card;
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
	next = &hop[xt_trees_peer(g, card, (unsigned)best_port).card];
	if (next->hops > 0 && next->vc == best) {
		depend(l, (unsigned)best, card * g->ports + (unsigned)best_port, next->port);
	}
	return true;
}

/* False if some card found no place. */
static bool grow(layers_t *l, uint32_t dest)
{
	xt_trees_t *g = l->g;
	xt_hop_t *hop = g->hop + (size_t)dest * g->cards;
	unsigned done = xt_trees_start(g, dest, hop), hops = 0, last = 0;

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

static uint32_t next_card(const xt_trees_t *g, uint32_t card, const xt_hop_t *hop)
{
	return xt_trees_peer(g, card, hop->port).card;
}

/* The hops of the escape to `dest`: down for the cards in its line from the root, up for all others. Of a group it is
 * the line to the card that is nearest to the root. */
static void find_escape(layers_t *l, uint32_t dest)
{
	xt_trees_t *g = l->g;
	escape_t *e = &l->escape;
	uint32_t root = g->by_rank[0], end = root;

	for (unsigned rank = g->in_service; rank-- > 0;) {
		uint32_t card = g->by_rank[rank];

		e->hop[card] = (xt_hop_t){1, e->up[card], (uint8_t)e->up_vc, 0};
		end = xt_trees_ends(g, card, dest) ? card : end;
	}
	for (uint32_t card = end; card != root; card = e->above[card] / g->ports) {
		e->hop[e->above[card] / g->ports] =
			(xt_hop_t){1, (uint8_t)(e->above[card] % g->ports), (uint8_t)e->down_vc, 0};
	}
}

/* Whether the hop of a card and the next one go together; if so their dependency is there. */
static bool fits(layers_t *l, uint32_t card, uint32_t dest)
{
	xt_trees_t *g = l->g;
	const xt_hop_t *hop = g->hop + (size_t)dest * g->cards, *here = &hop[card];
	uint32_t channel = card * g->ports + here->port, next = next_card(g, card, here);

	if (xt_trees_ends(g, next, dest) || hop[next].vc > here->vc) {
		return true;
	}
	if (hop[next].vc < here->vc || !allowed(l, here->vc, channel, hop[next].port)) {
		return false;
	}
	depend(l, here->vc, channel, hop[next].port);
	return true;
}

/* Gives cards that found no place the hops of the escape, and as many more as it takes for all hops to fit
 * together: where a hop and the next one do not, the next card, or else this one, changes over to the escape. Two
 * hops of the escape always fit. */
static void rescue(layers_t *l, uint32_t dest)
{
	xt_trees_t *g = l->g;
	escape_t *e = &l->escape;
	xt_hop_t *hop = g->hop + (size_t)dest * g->cards;
	bool changed = true;

	find_escape(l, dest);
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		uint32_t card = g->by_rank[rank];

		e->in_use[card] = !hop[card].known;
		hop[card] = hop[card].known ? hop[card] : e->hop[card];
	}
	while (changed) {
		changed = false;
		for (unsigned rank = 0; rank < g->in_service; rank++) {
			uint32_t card = g->by_rank[rank], next;

			if (xt_trees_ends(g, card, dest) || fits(l, card, dest)) {
				continue;
			}
			next = next_card(g, card, &hop[card]);
			next = e->in_use[next] ? card : next;
			e->in_use[next] = 1;
			hop[next] = e->hop[next];
			changed = true;
		}
	}
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		uint32_t start = g->by_rank[rank];

		hop[start].hops = 0;
		for (uint32_t card = start; !xt_trees_ends(g, card, dest); card = next_card(g, card, &hop[card])) {
			hop[start].hops++;
		}
	}
}

/* Trees of all destinations; escape[dest] is set for those that the escape had to help. False, and not all are
 * made, if it had to and is not reserved. */
static bool grow_all(layers_t *l, uint8_t *escape)
{
	xt_trees_t *g = l->g;

	memset(g->load, 0, (size_t)g->cards * g->ports * sizeof(*g->load));
	for (unsigned i = 0; i < g->dests; i++) {
		uint32_t dest = g->dest[i];

		escape[dest] = !grow(l, dest);
		if (escape[dest] && !l->reserved) {
			return false;
		}
		if (escape[dest]) {
			rescue(l, dest);
		}
		xt_trees_add_load(g, dest);
	}
	return true;
}

static void free_layers(layers_t *l)
{
	for (unsigned vc = 0; vc < l->g->vcs; vc++) {
		xt_acyclic_order_free(l->order[vc]);
		free(l->bad[vc]);
	}
	free(l->escape.up);
	free(l->escape.above);
	free(l->escape.hop);
	free(l->escape.in_use);
}

/* g->queue gets the cards as they are reached from the root. */
static void find_tree(layers_t *l)
{
	xt_trees_t *g = l->g;
	escape_t *e = &l->escape;
	uint32_t root = g->by_rank[0], ends = g->cards * g->ports;
	unsigned reached;

	xt_trees_card_distances(g, root);
	for (uint32_t end = 0; end < ends; end++) {
		if (g->peer[end].card != XT_NO_CARD && g->distance[g->peer[end].card] < g->distance[end / g->ports]) {
			e->up[end / g->ports] = (uint8_t)(end % g->ports);
		}
	}
	reached = xt_breadth_first(g->peer, g->cards, g->ports, root, g->distance, g->queue);
	memset(e->above, 0xff, g->cards * sizeof(*e->above));
	for (unsigned i = 0; i < reached * g->ports; i++) {
		uint32_t end = g->queue[i / g->ports] * g->ports + i % g->ports, peer = g->peer[end].card;

		if (peer != XT_NO_CARD && peer != root && e->above[peer] == UINT32_MAX) {
			e->above[peer] = end;
		}
	}
}

/* The dependencies of the escape's hops by which packets leave `card` upwards and reach it downwards, on the next. */
static void reserve(layers_t *l, uint32_t card)
{
	xt_trees_t *g = l->g;
	escape_t *e = &l->escape;
	uint32_t root = g->by_rank[0], out = card * g->ports + e->up[card], over = g->peer[out].card;
	uint32_t in = e->above[card], from = in / g->ports;

	if (over != root) {
		depend(l, e->up_vc, out, e->up[over]);
	}
	if (from != root) {
		depend(l, e->down_vc, e->above[from], in % g->ports);
	}
	for (unsigned port = 0; port < g->ports && e->up_vc == e->down_vc; port++) {
		uint32_t peer = xt_trees_peer(g, over, port).card;

		if (peer != XT_NO_CARD && peer != root && peer != card && e->above[peer] == over * g->ports + port) {
			depend(l, e->up_vc, out, port);
		}
	}
}

static bool create_escape(layers_t *l)
{
	xt_trees_t *g = l->g;
	escape_t *e = &l->escape;

	e->down_vc = g->vcs - 1;
	e->up_vc = xt_topology_directed(g->topology) ? g->vcs - 2 : e->down_vc;
	e->up = calloc(g->cards, sizeof(*e->up));
	e->above = calloc(g->cards, sizeof(*e->above));
	e->hop = calloc(g->cards, sizeof(*e->hop));
	e->in_use = calloc(g->cards, sizeof(*e->in_use));
	if (!e->up || !e->above || !e->hop || !e->in_use) {
		return false;
	}
	find_tree(l);
	for (unsigned i = 1; i < g->in_service; i++) {
		reserve(l, g->queue[i]);
	}
	return true;
}

static bool create_layers(layers_t *l, xt_trees_t *g, bool reserved)
{
	size_t channels = (size_t)g->cards * g->ports;
	bool ok = true;

	*l = (layers_t){.g = g, .reserved = reserved};
	for (unsigned vc = 0; vc < g->vcs; vc++) {
		l->order[vc] = xt_acyclic_order_create(g->peer, g->sender, g->cards, g->ports);
		l->bad[vc] = calloc(channels, sizeof(*l->bad[vc]));
		ok = ok && l->order[vc] && l->bad[vc];
	}
	return ok && (!reserved || create_escape(l));
}

int xt_layered_trees(xt_trees_t *g, uint8_t *escape, xt_diag_t *diag)
{
	bool done = false;

	/* First with all VCs free; if that leaves some card without a way, with the escape. */
	for (int reserved = 0; reserved < 2 && !done; reserved++) {
		layers_t l;
		bool ok = create_layers(&l, g, reserved);

		done = ok && grow_all(&l, escape);
		free_layers(&l);
		if (!ok) {
			return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the layers of %u cards", g->cards);
		}
	}
	return XT_OK;
}
