/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/routing.h"

/* Fills the tables of any connected network by up/down or layered routing. */
int xt_route_by_trees(
	const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t *image, xt_diag_t *diag);
