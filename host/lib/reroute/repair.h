/* SPDX-License-Identifier: Apache-2.0
 *
 * The repair of the routes to one destination. For every TC the hops of the cards form a tree that the failures have
 * cut into pieces. A piece is joined again by giving the card at its root, whose hop has failed, a hop to a card
 * that delivers; the others of the piece keep theirs. All old dependencies stay in the graph that must not get a cycle,
 * so that packets that still go by old routes are part of the proof. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dependencies.h"
#include "extorus/update.h"

/* Which old hops to a destination count. */
typedef enum {
	XT_KEEP_ALL,
	XT_KEEP_GOOD, /* those of cards that still deliver; nothing goes by the others any more */
	XT_KEEP_NONE,
} xt_keep_t;

/* What a card does with the packets at hand; only hops to other cards, by links that work. */
typedef struct {
	uint8_t leaves, port, vc, bit;
	uint32_t next;
} xt_repair_hop_t;

typedef struct {
	uint32_t card;
	uint64_t entry;
} xt_repair_undo_t;

typedef struct {
	const xt_image_t *before;
	xt_image_t *after;
	const xt_profile_t *profile;
	unsigned cards, ports;
	xt_old_new_hops_t m;
	xt_dependencies_t *dependencies;
	xt_update_figures_t *figures;
	uint16_t *failed_ports; /* [card] */

	/* Of the TC and destination at hand. */
	unsigned tc, dest;
	uint32_t root;              /* card of the destination */
	xt_repair_hop_t *was;       /* [card]: the hop of the old entry, whether it counts or not */
	xt_repair_hop_t *old, *hop; /* [card]: before, and as it is now */
	uint32_t *hops;             /* [card]: links to the destination, NEVER: it does not deliver */
	uint32_t *good;             /* the cards that deliver, by their hops */
	unsigned goods;
	uint8_t *source;   /* [card]: PEs on it use this TC */
	uint8_t *needed;   /* [card]: packets come by */
	uint8_t *visited;  /* [card]: they or old ones do, or new ones will */
	uint8_t *banned;   /* [card]: found no hop since the last card was joined */
	uint8_t *free;     /* [card]: changes cost nothing */
	uint32_t *cost;    /* [card]: cards on the way to one that delivers that have to change */
	uint32_t *towards; /* [card]: the next one on that way */
	uint8_t *change;   /* [card]: by another link than now */
	uint32_t *queue[2];

	/* Of the destination at hand, for taking it back. */
	xt_dependency_entry_t *added;
	size_t addeds, added_room;
	uint32_t *seen; /* cards that got visited, of this join only */
	unsigned seens;
	xt_repair_undo_t *undo;
	size_t undos, undo_room;
	bool out_of_memory;
} xt_repair_t;

/* XT_OK or XT_ERR_NOMEM; to be freed either way. `after` is changed by repairs. */
int xt_repair_create(xt_repair_t *r, const xt_image_t *before, xt_image_t *after, xt_diag_t *diag);
void xt_repair_free(xt_repair_t *r);

/* The LRT entry of a card for r->dest, of all TCs. */
uint64_t *xt_repair_entry(xt_repair_t *r, uint32_t card);
/* False: not possible with what is kept, and nothing is changed. */
bool xt_repair_destination(xt_repair_t *r, unsigned dest, xt_keep_t keep);
/* must_change of xt_route_update. `must` and `cut` have a place per card. */
uint64_t xt_repair_least_changes(xt_repair_t *r, unsigned dest, uint8_t *must, uint8_t *cut);
