/* SPDX-License-Identifier: Apache-2.0
 *
 * Routing of any connected network: what up/down and layered routing share. For every destination each
 * card has one hop, so that a tree leads to it; a tree is made without knowing where the packets are from. */
#pragma once

#include "extorus/routing.h"

/* What a card does with packets to some destination. */
typedef struct {
	uint8_t known;
	uint8_t port, vc; /* not of the destination itself */
	uint32_t hops;    /* links from here to there */
} xt_hop_t;

typedef struct {
	const xt_topology_t *topology;
	unsigned cards, ports; /* link ports of a card */
	uint32_t *number;      /* [card]: its number in the topology */
	unsigned vcs;          /* deterministic ones that every TC has */
	unsigned in_service;   /* cards */
	xt_peer_t *peer;       /* [card][port]: where it leads */
	xt_peer_t *sender;     /* [card][port]: from where it receives, the same unless links have one direction */
	uint32_t *by_rank;     /* [rank]: the cards in service, root first, by distance from the root and number */
	uint32_t *rank;        /* [card]; up is towards lower ranks */
	unsigned dests;        /* cards in service with a PE, or groups of cards */
	uint32_t *dest;        /* [0 .. dests - 1]: these, cards by rank, groups by number */
	uint32_t *end;         /* [card]: the destination whose packets have arrived there */
	uint32_t *distance;    /* [card], to the destination at hand */
	uint32_t *queue;       /* [card] */
	uint64_t *load;        /* [card][port]: cards whose packets to destinations done so far go by */
	xt_hop_t *hop;         /* [destination][card] */
} xt_trees_t;

static inline xt_peer_t xt_trees_peer(const xt_trees_t *g, uint32_t card, unsigned port)
{
	return g->peer[(size_t)card * g->ports + port];
}

static inline xt_peer_t xt_trees_sender(const xt_trees_t *g, uint32_t card, unsigned port)
{
	return g->sender[(size_t)card * g->ports + port];
}

static inline bool xt_trees_ends(const xt_trees_t *g, uint32_t card, uint32_t dest)
{
	return g->end[card] == dest;
}

/* XT_ERR_NOMEM. Ends with xt_trees_free, also after an error. */
int xt_trees_make(xt_trees_t *g, const xt_topology_t *topology, xt_diag_t *diag);
/* The destinations are `groups` groups of cards, to any card of which packets may go; `group` has that of each card in
 * service. */
int xt_trees_make_to_groups(
	xt_trees_t *g, const xt_topology_t *topology, unsigned groups, const uint32_t *group, xt_diag_t *diag);
/* Only the cards of one group, and the links between them; these cards reach each other. */
int xt_trees_make_within(
	xt_trees_t *g, const xt_topology_t *topology, const uint32_t *group, uint32_t which, xt_diag_t *diag);
void xt_trees_free(xt_trees_t *g);

/* Distances from all cards to `dest`, in g->distance; UINT32_MAX for failed ones. Returns the largest. */
unsigned xt_trees_distances(xt_trees_t *g, uint32_t dest);
/* The same to one card, whatever the destinations are. */
unsigned xt_trees_card_distances(xt_trees_t *g, uint32_t card);
/* Sets the hops to `dest` to unknown but for its own cards, and puts these into g->queue. Returns how many there are.
 */
unsigned xt_trees_start(xt_trees_t *g, uint32_t dest, xt_hop_t *hop);
/* Adds a finished tree to the loads. */
void xt_trees_add_load(xt_trees_t *g, uint32_t dest);

/* The tree of up/down to `dest` on VC `vc`: down where a way of downward links only leads there, on the
 * shortest of these, otherwise up, where the rest is shortest. So no packet that came down goes up again,
 * without the tables knowing where it came from; Schroeder et al., Autonet, 1991 (there with tables by
 * input port). The tree comes into hop[card]. */
void xt_updown_tree(xt_trees_t *g, uint32_t dest, unsigned vc, xt_hop_t *hop);

/* Trees of all destinations; escape[dest] is set for those that up/down had to help. A one-way network needs two
 * VCs. XT_ERR_NOMEM. */
int xt_layered_trees(xt_trees_t *g, uint8_t *escape, xt_diag_t *diag);
