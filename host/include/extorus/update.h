/* SPDX-License-Identifier: Apache-2.0
 *
 * From one routing to another in a running network. New routes after a failure leave the others alone. The library
 * lists the entries to rewrite, and proves whether packets are safe meanwhile.
 *
 * The words of an image are rewritten one by one, each at once for all inputs of a card. A packet meets old entries
 * on some cards and new ones on others. Packets that old entries have routed still wait for their channels when new
 * entries are there. (Duato, Lysne, Pang and Pinkston, A Theory for Deadlock-Free Dynamic Network Reconfiguration,
 * IEEE TPDS 16(5), 2005.) */
#ifndef EXTORUS_UPDATE_H
#define EXTORUS_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/check.h"
#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/image.h"
#include "extorus/topology.h"

XT_BEGIN_C

typedef enum {
	XT_UPDATE_KEPT,    /* old routes that work are kept, but for cards that had to make way for others */
	XT_UPDATE_REGROWN, /* likewise, but to some destinations the cards that were cut off, or all, are routed anew */
	XT_UPDATE_WHOLE,   /* all routes are new, layered or up/down */
} xt_update_how_t;

typedef struct {
	xt_update_how_t how;
	unsigned affected;    /* destinations (PEs) to which some packet's route needs what has failed */
	unsigned regrown;     /* destinations as REGROWN says; 0 if WHOLE */
	uint64_t must_change; /* no routing for these sources, TCs and destinations rewrites fewer entries, see below */
} xt_update_figures_t;

/* New routes for `damaged`: the topology of `before` with more failures. Every route that works is kept as far
 * as the others can be made without it, and the new dependencies close no cycle with those of the old
 * routes nor with each other. A card whose hop has failed is joined to a neighbour that still delivers; the cards
 * whose packets come by it need no change. Where no such neighbour can be used, the fewest cards on the way are
 * changed with it. A destination for which this finds nothing gives up the routes of all cards that were cut off, or
 * all routes, so that packets which still go by the old ones are no part of the proof any more; where that is not
 * enough, others give up theirs to make room. If nothing helps, or if the old routes are rings of bubble flow control,
 * the whole network is routed by `layered` (or `updown`, where it was so before).
 * It is a search without a way back: there may be routings with fewer changes where the result has more than
 * must_change.
 *
 * must_change, per destination the greater of two: the most entries in one TC whose hop has failed where packets of
 * some source come by (each must itself change or be avoided by a change of its own among the cards that lead to
 * it); and the entries of cards that send there themselves whose hop or candidate has failed, with the cards that
 * must change with them at least because all neighbours send to the one that failed.
 *
 * XT_ERR_UNSAFE if `before` does not pass xt_check_image, XT_ERR_MISMATCH if `damaged` is not the network of
 * `before` with links less. Where the PEs of `before` share GRT entries, the whole network is routed in its groups of
 * cards. XT_ERR_RANGE if the failures cut one apart, XT_ERR_UNSUPPORTED if the profile has too few VCs for groups.
 * `figures` may be NULL. *out is freed with xt_image_free. */
XT_API int xt_route_update(const xt_image_t *before, const xt_topology_t *damaged, xt_image_t **out,
	xt_update_figures_t *figures, xt_diag_t *diag);

/* What a word of a card is. */
typedef enum {
	XT_WORD_GRT,
	XT_WORD_LRT,
	XT_WORD_ROUTE_ORDER,
	XT_WORD_MATCH_MASK,
	XT_WORD_RING,
	XT_WORD_ADAPTIVE_PORTS,
	XT_WORD_VC_RING_FROM,
} xt_word_t;

/* One word to rewrite. index: of a table's entry; the TC of MATCH_MASK, the port of RING and VC_RING_FROM. */
typedef struct {
	uint32_t step; /* see xt_transition_t */
	uint32_t card;
	xt_word_t word;
	uint32_t index;
	uint64_t before, after;
} xt_rewrite_t;

XT_API const char *xt_word_name(xt_word_t word); /* "GRT", "LRT", "ROUTE_ORDER", ... */

typedef enum {
	XT_TRANSITION_ANY_ORDER, /* the words may be rewritten in any order, under load */
	XT_TRANSITION_ORDERED,   /* step by step, under load */
	XT_TRANSITION_DRAIN,     /* step by step; traffic to some destinations has to stop for it */
} xt_transition_how_t;

/* Steps that follow each other without a wait. */
typedef struct {
	uint32_t first_step, steps;
	uint64_t rewrites;
	unsigned destinations; /* whose entries are rewritten */
	/* Before the first step traffic to these PEs stops, and what is under way to them has arrived or been
	 * dropped. It goes on when their entries are rewritten, in this phase or a later one; to PEs that are out of
	 * service it does not. */
	uint32_t *stopped;
	unsigned stops;
} xt_transition_phase_t;

typedef struct {
	xt_transition_how_t how;

	/* What differs. Sorted by step, card, word and index. */
	xt_rewrite_t *rewrite;
	size_t rewrites;
	uint64_t entries;      /* of GRT and LRT; the other rewrites are registers */
	unsigned cards;        /* with a rewrite */
	unsigned destinations; /* with an entry of their own to rewrite */

	/* Ordered pairs of different PEs in service in both images, and what becomes of them. Hops are those of
	 * the deterministic route in the lowest TC that both images let the source use. */
	uint64_t pairs, rerouted; /* rerouted: the deterministic route differs in some TC */
	uint64_t out_of_service;  /* pairs of the old image that lack a PE in the new one */
	uint64_t broken;          /* an old route needs what has failed: packets are lost until it is rewritten */
	double mean_hops_before, mean_hops_after;
	unsigned max_hops_before, max_hops_after;

	/* All mixtures of old and new words, whatever the order. */
	uint64_t exposed;     /* pairs that are not broken, but lose packets in a mixture */
	uint64_t undelivered; /* (TC, destination, card) at which packets are misdelivered or have no route in a mixture
			       */
	uint64_t loops;       /* (TC, destination) with a mixture in which packets go round */
	struct {
		unsigned tc, dest;
		uint32_t *card; /* each sends to the next, the last to the first; NULL if loops == 0 */
		size_t length;
	} loop; /* the first */
	/* The dependencies that packets can make, old, new and mixed. Set are tcs, channels, dependencies, rings,
	 * ring_merges, cyclic_tcs and the cycles, used and successors. */
	xt_check_t *mixed;

	/* The proven way of rewriting. The words of a step may be rewritten in any order; a step begins when all of
	 * the one before are written, a phase when moreover all packets have arrived that were under way to the
	 * destinations of the phase before it when its last step was done. ANY_ORDER: one phase of one step. */
	xt_transition_phase_t *phase;
	size_t phases;
	unsigned stops; /* in all phases */
	bool stops_all; /* and these are all destinations, since registers or GRT entries serve all of them */
} xt_transition_t;

/* Examines the way from one image to another of the same cards, in whose wiring links may be missing or new.
 *
 * ANY_ORDER: in the graph of all old and new hops to a destination packets cannot go round (a loop in it is one in
 * some mixture, since it needs one hop of each card), everything arrives but what an old route sends to a failed
 * link, and the union of all dependencies is acyclic in every TC.
 *
 * ORDERED: within a phase a destination's entries are rewritten from the destination backwards along the new routes,
 * so that a packet that has met a new entry meets no old one after it. Each phase takes all destinations whose
 * dependencies, old, new and from old to new, close no cycle with those of all others.
 *
 * DRAIN: traffic to some destinations, in all TCs, must have stopped before they are rewritten, because they find
 * no place in an order. Up to 32 of them,
 * each has been tried without: this search then finds no plan. There may be smaller sets of others.
 *
 * XT_ERR_MISMATCH if profile, cards, addresses or the far ends of links differ, XT_ERR_UNSAFE if the new image does
 * not pass xt_check_image. *out is freed with xt_transition_free. */
XT_API int xt_check_transition(
	const xt_image_t *before, const xt_image_t *after, xt_transition_t **out, xt_diag_t *diag);
XT_API void xt_transition_free(xt_transition_t *transition); /* NULL is allowed */

/* XT_OK if any order will do, or XT_ERR_UNSAFE with the first finding in `diag`. */
XT_API int xt_transition_verdict(const xt_image_t *after, const xt_transition_t *transition, xt_diag_t *diag);
/* The first loop card by card and the cycles link by link; nothing if there is neither. */
XT_API void xt_transition_print_findings(const xt_image_t *after, const xt_transition_t *transition, FILE *out);
/* CSV: header step,card,table,index,before,after and a line for each rewrite; before and after in hexadecimal.
 * Write errors stay in the stream. */
XT_API void xt_transition_write_csv(const xt_transition_t *transition, FILE *out);

XT_END_C
#endif
