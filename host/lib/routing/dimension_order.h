/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/routing.h"

/* Fills the tables of a torus, a twisted torus, a twin torus or a mesh: dimensions in order. XT_ERR_RANGE for a twisted
 * torus whose coupled dimensions the LRT does not hold. */
int xt_route_dimension_order(
	const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t *image, xt_diag_t *diag);
