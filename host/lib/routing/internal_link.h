/* SPDX-License-Identifier: Apache-2.0
 *
 * How the packets of DORT, bubble and TS-DOR use the internal link of a twin torus, for any port configuration. */
#pragma once

#include "extorus/routing.h"

enum { XT_SPLIT = -1 };

/* A packet crosses to the card that has the port of its next dimension, in a split dimension to either card, and last
 * to its PE. DORT and bubble give each of these crossings a VC of its own, so that the VCs are in the order of the
 * dimensions. Dimensions of one card have a VC together if no packet can leave the card between them. */
typedef struct {
	/* VCs 0 .. groups - 1 lead to the port of a dimension that is not split. Then come those of `rings` split
	 * dimensions, two each for DORT and one for bubble, then that to a PE. With at most one run and one
	 * split dimension the numbers are those of the literature, 0, 1 and 2, 3; some may not be used. */
	unsigned groups, rings;
	unsigned splits;                   /* split dimensions */
	int owner[XT_MAX_DIMENSIONS];      /* card that has both ports of a dimension, or XT_SPLIT */
	unsigned place[XT_MAX_DIMENSIONS]; /* of a dimension among the groups or among the split dimensions */
	/* The card whose packets TS-DOR sends through the dimensions in ascending order: the lower dimensions are its
	 * own, the upper ones the other card's, at most one between them is split. -1: there is none. */
	int ascending;
} xt_internal_link_t;

xt_internal_link_t xt_internal_link_of(const xt_topology_t *topology);

/* VCs that a split dimension has on the internal link. */
unsigned xt_internal_link_ring_vcs(xt_algorithm_t algorithm);
/* VCs that DORT or bubble uses on the internal link. */
unsigned xt_internal_link_vcs(const xt_internal_link_t *link, xt_algorithm_t algorithm);
