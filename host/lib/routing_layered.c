/* SPDX-License-Identifier: Apache-2.0
 *
 * Layered shortest paths. The tree of a destination is grown from it, nearest cards first, as in Nue routing
 * (Domke, Hoefler and Matsuoka, Routing on the Dependency Graph, HPDC 2016): a card joins where the
 * dependency of its hop on the next one closes no cycle. As in layered shortest path routing (Skeie, Lysne
 * and Theiss, LASH, IPDPS 2002; Domke, Hoefler and Nagel, DFSSSP, IPDPS 2011) every VC is a layer with an
 * acyclic graph of its own. Packets start in any layer and only ever go up to a higher one, so that the
 * layers together have no cycle either. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "channel_order.h"
#include "profile.h"
#include "routing_graph.h"

/* Orders of the destinations that are tried while all VCs are free, and with the highest one reserved. */
enum { FREE_TRIES = 2, RESERVED_TRIES = 3 };

/* A dependency that was added for a destination, or found to close a cycle. */
typedef struct {
	uint32_t channel;
	uint8_t vc, next, bad;
} change_t;

typedef struct {
	xt_graph_t *g;
	xt_channel_order_t *order[XT_MAX_VCS_PER_TC];
	uint8_t *bad[XT_MAX_VCS_PER_TC]; /* [channel]: next ports that would close a cycle */
	bool reserved;                   /* the highest VC has the turns of up/down only */
	change_t *changes;               /* of the destination at hand */
	size_t count;
} layers_t;

/* Whether packets may go on from `channel` to port `next` of the card at its end, both on `vc`. A dependency
 * that would close a cycle is remembered, since none is ever taken away but with its destination. */
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
	if (!(l->bad[vc][channel] >> next & 1)) {
		l->bad[vc][channel] |= (uint8_t)(1u << next);
		l->changes[l->count++] = (change_t){channel, (uint8_t)vc, (uint8_t)next, 1};
	}
	return false;
}

/* Adds a dependency that is allowed. */
static void depend(layers_t *l, unsigned vc, uint32_t channel, unsigned next)
{
	if (!(l->reserved && vc + 1 == l->g->vcs) && !xt_channel_order_has(l->order[vc], channel, next)) {
		xt_channel_order_add(l->order[vc], channel, next);
		l->changes[l->count++] = (change_t){channel, (uint8_t)vc, (uint8_t)next, 0};
	}
}

/* Takes back what was done for a destination. */
static void undo(layers_t *l)
{
	while (l->count > 0) {
		change_t c = l->changes[--l->count];

		if (c.bad) {
			l->bad[c.vc][c.channel] &= (uint8_t) ~(1u << c.next);
		} else {
			xt_channel_order_remove(l->order[c.vc], c.channel, c.next);
		}
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

/* Trees of all destinations in the given order; returns how many found no ways. These are marked in `updown`
 * and go by up/down, for which the highest VC must be reserved. */
static unsigned grow_all(layers_t *l, const uint32_t *order, uint8_t *updown)
{
	xt_graph_t *g = l->g;
	unsigned failures = 0;

	memset(g->load, 0, (size_t)g->cards * g->ports * sizeof(*g->load));
	for (unsigned i = 0; i < g->in_service; i++) {
		uint32_t dest = order[i];

		l->count = 0;
		updown[dest] = !grow(l, dest);
		if (updown[dest]) {
			failures++;
			undo(l);
			xt_updown_tree(g, dest, g->vcs - 1);
		}
		xt_graph_add_load(g, dest);
	}
	return failures;
}

static void free_layers(layers_t *l)
{
	for (unsigned vc = 0; vc < l->g->vcs; vc++) {
		xt_channel_order_free(l->order[vc]);
		free(l->bad[vc]);
	}
	free(l->changes);
}

static bool create_layers(layers_t *l, xt_graph_t *g, bool reserved)
{
	size_t channels = (size_t)g->cards * g->ports;
	bool ok;

	*l = (layers_t){.g = g, .reserved = reserved};
	l->changes = malloc(channels * g->ports * g->vcs * sizeof(*l->changes));
	ok = l->changes != NULL;
	for (unsigned vc = 0; vc < g->vcs; vc++) {
		l->order[vc] = xt_channel_order_create(g->peer, g->cards, g->ports);
		l->bad[vc] = calloc(channels, 1);
		ok = ok && l->order[vc] && l->bad[vc];
	}
	return ok;
}

/* grow_all with new layers; -1: out of memory. */
static int try_all(xt_graph_t *g, bool reserved, const uint32_t *order, uint8_t *updown)
{
	layers_t l;
	int failures = -1;

	if (create_layers(&l, g, reserved)) {
		failures = (int)grow_all(&l, order, updown);
	}
	free_layers(&l);
	return failures;
}

/* Those that found no ways come first the next time. */
static void put_first(const uint8_t *late, uint32_t *order, uint32_t *scratch, unsigned count)
{
	unsigned used = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < count; i++) {
			if (late[order[i]] == !pass) {
				scratch[used++] = order[i];
			}
		}
	}
	memcpy(order, scratch, count * sizeof(*order));
}

/* Tries several orders of the destinations until none is left to up/down. Returns how many the best one leaves,
 * or -1: out of memory. That order comes into `best`, behind which is room for two more. */
static int search(xt_graph_t *g, bool reserved, unsigned tries, uint32_t *best, uint8_t *updown)
{
	uint32_t *order = best + g->in_service, *scratch = order + g->in_service;
	int fewest = INT_MAX;

	memcpy(order, g->by_rank, g->in_service * sizeof(*order));
	for (unsigned i = 0; i < tries && fewest > 0; i++) {
		int failures = try_all(g, reserved, order, updown);

		if (failures < 0) {
			return failures;
		}
		if (failures < fewest) {
			fewest = failures;
			memcpy(best, order, g->in_service * sizeof(*best));
		}
		put_first(updown, order, scratch, g->in_service);
	}
	return fewest;
}

int xt_layered_trees(xt_graph_t *g, uint8_t *updown, xt_diag_t *diag)
{
	uint32_t *best = malloc(3 * (size_t)g->in_service * sizeof(*best));
	int left = best ? search(g, false, FREE_TRIES, best, updown) : -1;

	if (left > 0) {
		left = search(g, true, RESERVED_TRIES, best, updown);
		left = left > 0 ? try_all(g, true, best, updown) : left;
	}
	free(best);
	return left < 0 ? xt_fail(diag, XT_ERR_NOMEM, "out of memory for the layers of %u cards", g->cards) : XT_OK;
}
