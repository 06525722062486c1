/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "destination_trees.h"

/* Fills the tables of any connected network by up/down or layered routing, with an LRT entry for each PE. */
int xt_route_by_trees(
	const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t *image, xt_diag_t *diag);

/* The trees to all destinations; escape[dest] is set for those that up/down had to help. */
int xt_trees_fill(xt_trees_t *g, const xt_route_options_t *options, uint8_t *escape, xt_diag_t *diag);
/* Ports to the cards that are nearer to the destination whose distances are at hand. */
unsigned xt_trees_minimal_ports(const xt_trees_t *g, uint32_t card);
/* All TCs for the PEs of cards in service. */
void xt_open_classes(const xt_topology_t *topology, xt_image_t *image);
