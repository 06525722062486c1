/* SPDX-License-Identifier: Apache-2.0
 *
 * Breadth-first search over the links of a network. */
#pragma once

#include "extorus/topology.h"

/* Searches from `source` over the ends peer[card * ports + port]; an end at XT_NO_CARD leads nowhere. `order` gets the
 * cards reached, nearest first. `distance` gets a place per card: UINT32_MAX if the search does not reach the card.
 * Returns the number of cards reached. */
unsigned xt_breadth_first(
	const xt_peer_t *peer, unsigned cards, unsigned ports, uint32_t source, uint32_t *distance, uint32_t *order);

/* The same from several sources, which `order` has at its begin: distances to the nearest of them. */
unsigned xt_breadth_first_of(
	const xt_peer_t *peer, unsigned cards, unsigned ports, unsigned sources, uint32_t *distance, uint32_t *order);

/* The same from one, and `paths` gets the number of shortest paths to each card. */
unsigned xt_shortest_paths(const xt_peer_t *peer, unsigned cards, unsigned ports, uint32_t source, uint32_t *distance,
	uint32_t *order, double *paths);
