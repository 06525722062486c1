/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/routing.h"

/* Fills the tables of a tree without failures, all routes on VC 0. XT_ERR_RANGE if the LRT is too small. */
int xt_route_destro(const xt_topology_t *topology, xt_image_t *image, xt_diag_t *diag);
